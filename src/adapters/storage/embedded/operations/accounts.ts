/** Writes to accounts, keys, redirects and licences. */
import type { Account, ApiKey, Redirect } from '../../../../domain/accounts/account.ts';
import { billed } from '../../../../domain/licences/billing.ts';
import type { Billed, BillingEvent } from '../../../../domain/licences/billing.ts';
import type { Subscription } from '../../../../domain/licences/subscription.ts';
import type { KeyUse } from '../../../../use-cases/ports/accounts.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { accounts, apiKeys, redirectColumns } from '../tables.ts';
import { merged } from '../merged.ts';
import { subscriptions } from '../tables.ts';
import type { Row } from '../table.ts';

export type Terms = Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>;

export function accountOperations(db: Database) {
  const addAccount = accounts.insert(db, 'on conflict (email) do nothing');
  const addKey = apiKeys.insert(db);
  const countKeys = db.prepare<{ n: number }>(
    'select count(*) as n from api_keys where account_id = ? and revoked_at is null',
  );
  const endKey = db.prepare('update api_keys set revoked_at = ? where id = ? and revoked_at is null');
  const noteUse = db.prepare(
    'update api_keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?',
  );
  const countRedirects = db.prepare<{ n: number }>(
    'select count(*) as n from redirects where api_key_id = ?',
  );
  const sameRedirect = db.prepare<Row<Redirect>>(`
    select ${redirectColumns.list} from redirects where api_key_id = ? and uri_pattern = ?
    order by created_at, id limit 1`);
  const insertRedirect = redirectColumns.insert(db);
  const endRedirects = prepareNamed(
    db,
    `delete from redirects where api_key_id = :key
     and uri_pattern = (select uri_pattern from redirects where id = :id and api_key_id = :key)`,
  );
  const addSubscription = subscriptions.insert(db);

  return {
    ...termsOperation(db),
    ...billOperation(db),
    insertKey(key: ApiKey, max: number): boolean {
      if ((countKeys.get(key.accountId)?.n ?? 0) >= max) return false;
      addKey(key);
      return true;
    },
    insertSubscription(licence: Subscription): void {
      addSubscription(licence);
    },
    createAccount(account: Account, key: ApiKey | null, trial: Subscription): boolean {
      if (addAccount(account) === 0) return false;
      if (key !== null) addKey(key);
      addSubscription(trial);
      return true;
    },
    noteKeysUsed(used: readonly KeyUse[]): void {
      for (const { keyId, at } of used) noteUse.run(at, keyId);
    },
    revokeKey: (keyId: string, now: number): boolean => changed(endKey.run(now, keyId)) === 1,
    addRedirect(redirect: Redirect, max: number): Redirect | null {
      const same = sameRedirect.get(redirect.apiKeyId, redirect.uriPattern);
      if (same !== undefined) return redirectColumns.of(same);
      const held = countRedirects.get(redirect.apiKeyId)?.n ?? 0;
      if (held >= max) return null;
      insertRedirect(redirect);
      return redirect;
    },
    removeRedirect: (id: string, key: string): boolean => changed(endRedirects.run({ id, key })) > 0,
  };
}

function termsOperation(db: Database) {
  const terms = subscriptions.pick('status', 'tier', 'expiresAt', 'autoRenew');
  const termsOf = db.prepare<Row<Terms>>(`select ${terms.list} from subscriptions where id = ?`);
  const setTerms = prepareNamed(db, `update subscriptions set ${terms.assignments} where id = :id`);
  return {
    /** Read, merge and write are one step: there is one writer. */
    updateSubscription(id: string, patch: Partial<Terms>): boolean {
      const row = termsOf.get(id);
      if (row === undefined) return false;
      setTerms.run({ ...terms.values(merged(terms.of(row), patch)), id });
      return true;
    },
  };
}

function billOperation(db: Database) {
  const ofProvider = db.prepare<Row<Subscription>>(
    `select ${subscriptions.list} from subscriptions where external_id = ? order by created_at desc, id desc limit 1`,
  );
  const lapse = db.prepare(
    "update subscriptions set status = 'expired' where id = ? and status = 'active' and expires_at = ?",
  );
  const put = subscriptions.put(db);
  return {
    lapseSubscription(id: string, expiresAt: number): boolean {
      return lapse.run(id, expiresAt).changes === 1;
    },
    billSubscription(event: BillingEvent, now: number): Billed {
      const row = ofProvider.get(event.externalId);
      const result = billed(row === undefined ? null : subscriptions.of(row), event, now);
      if (result.outcome === 'applied') put(result.subscription);
      return result;
    },
  };
}
