/** Writes to accounts, keys, redirects and licences. */
import type { Account, ApiKey, Redirect } from '../../../../domain/accounts/account.ts';
import type { Subscription } from '../../../../domain/licences/subscription.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit, insertInto } from './insert.ts';

export type SubscriptionPatch = Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>;

interface Terms {
  status: string;
  tier: string;
  expires_at: number | null;
  auto_renew: number;
}

export function accountOperations(db: Database) {
  const addAccount = db.prepare(
    insertInto('accounts', ['id', 'email', 'name', 'created_at'], 'on conflict (email) do nothing'),
  );
  const addKey = db.prepare(
    insertInto('api_keys', ['id', 'account_id', 'hash', 'hint', 'created_at', 'revoked_at']),
  );
  const endKey = db.prepare('update api_keys set revoked_at = ? where id = ? and revoked_at is null');
  const countRedirects = db.prepare<{ n: number }>(
    'select count(*) as n from redirects where api_key_id = ?',
  );
  const addRedirect = db.prepare(
    insertInto('redirects', ['id', 'account_id', 'api_key_id', 'uri_pattern', 'created_at']),
  );
  const endRedirect = db.prepare('delete from redirects where id = ? and api_key_id = ?');
  const addSubscription = db.prepare(
    insertInto('subscriptions', [
      'id',
      'account_id',
      'status',
      'source',
      'tier',
      'starts_at',
      'expires_at',
      'auto_renew',
      'external_id',
      'created_at',
    ]),
  );
  const termsOf = db.prepare<Terms>(
    'select status, tier, expires_at, auto_renew from subscriptions where id = ?',
  );
  const setTerms = db.prepare(
    'update subscriptions set status = ?, tier = ?, expires_at = ?, auto_renew = ? where id = ?',
  );

  function insertKey(key: ApiKey): void {
    addKey.run(key.id, key.accountId, key.hash, key.hint, key.createdAt, key.revokedAt);
  }

  function insertSubscription(licence: Subscription): void {
    addSubscription.run(
      licence.id,
      licence.accountId,
      licence.status,
      licence.source,
      licence.tier,
      licence.startsAt,
      licence.expiresAt,
      bit(licence.autoRenew),
      licence.externalId,
      licence.createdAt,
    );
  }

  return {
    insertKey,
    insertSubscription,
    createAccount(account: Account, key: ApiKey, trial: Subscription): boolean {
      const added = addAccount.run(account.id, account.email, account.name, account.createdAt);
      if (changed(added) === 0) return false;
      insertKey(key);
      insertSubscription(trial);
      return true;
    },
    revokeKey: (keyId: string, now: number): boolean => changed(endKey.run(now, keyId)) === 1,
    insertRedirect(redirect: Redirect, most: number): boolean {
      const held = countRedirects.get(redirect.apiKeyId)?.n ?? 0;
      if (held >= most) return false;
      addRedirect.run(
        redirect.id,
        redirect.accountId,
        redirect.apiKeyId,
        redirect.uriPattern,
        redirect.createdAt,
      );
      return true;
    },
    removeRedirect: (redirectId: string, apiKeyId: string): boolean =>
      changed(endRedirect.run(redirectId, apiKeyId)) === 1,
    /** Read, merge and write are one step: there is one writer. */
    updateSubscription(subscriptionId: string, patch: SubscriptionPatch): boolean {
      const terms = termsOf.get(subscriptionId);
      if (terms === undefined) return false;
      setTerms.run(
        patch.status ?? terms.status,
        patch.tier ?? terms.tier,
        patch.expiresAt === undefined ? terms.expires_at : patch.expiresAt,
        patch.autoRenew === undefined ? terms.auto_renew : bit(patch.autoRenew),
        subscriptionId,
      );
      return true;
    },
  };
}
