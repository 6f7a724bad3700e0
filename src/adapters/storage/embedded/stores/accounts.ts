/** Accounts, keys, redirects and licences: reads here, writes through the line. */
import type { AccountStore, KeyStore, RedirectStore } from '../../../../use-cases/ports/accounts.ts';
import type { SubscriptionStore } from '../../../../use-cases/ports/licences.ts';
import type { Account, ApiKey, Redirect } from '../../../../domain/accounts/account.ts';
import type { Subscription } from '../../../../domain/licences/subscription.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { accounts, apiKeys, redirectColumns } from '../tables.ts';
import { subscriptions } from '../tables.ts';
import type { Row } from '../table.ts';
import { afterAll, beforeAll, pageOf } from './paging.ts';

export function accountStore(reader: Reader, writer: WriterThread): AccountStore {
  const byId = reader.query<Row<Account>>(`select ${accounts.list} from accounts where id = ?`);
  const byEmail = reader.query<Row<Account>>(`select ${accounts.list} from accounts where email = ?`);
  const newest = reader.query<Row<Account>>(
    `select ${accounts.list} from accounts where (created_at, id) < (?, ?) order by created_at desc, id desc limit ?`,
  );
  return {
    page: (page) =>
      pageOf(page, afterAll, (after, limit) => newest.all(after.createdAt, after.id, limit).map(accounts.of)),
    create: (account, key, trial) => writer.call('createAccount', account, key, trial),
    async byId(accountId) {
      const row = byId.get(accountId);
      return row === undefined ? null : accounts.of(row);
    },
    async byEmail(email) {
      const row = byEmail.get(email);
      return row === undefined ? null : accounts.of(row);
    },
  };
}

export function keyStore(reader: Reader, writer: WriterThread): KeyStore {
  const byHash = reader.query<Row<ApiKey>>(
    `select ${apiKeys.list} from api_keys where hash = ? and revoked_at is null`,
  );
  const ofAccount = reader.query<Row<ApiKey>>(
    `select ${apiKeys.list} from api_keys where account_id = ? order by created_at, id`,
  );
  const newest = reader.query<Row<ApiKey>>(`
    select ${apiKeys.list} from api_keys
    where account_id = ? and (created_at, id) < (?, ?) and revoked_at is null
    order by created_at desc, id desc limit ?`);
  const one = reader.query<Row<ApiKey>>(
    `select ${apiKeys.list} from api_keys where id = ? and account_id = ? and revoked_at is null`,
  );
  return {
    insert: (key, max) => writer.call('insertKey', key, max),
    async activeByHash(hash) {
      const row = byHash.get(hash);
      return row === undefined ? null : apiKeys.of(row);
    },
    list: async (accountId) => ofAccount.all(accountId).map(apiKeys.of),
    page: (accountId, page) =>
      pageOf(page, afterAll, (after, limit) =>
        newest.all(accountId, after.createdAt, after.id, limit).map(apiKeys.of),
      ),
    async inAccount(keyId, accountId) {
      const row = one.get(keyId, accountId);
      return row === undefined ? null : apiKeys.of(row);
    },
    noteUsed: (used) => writer.call('noteKeysUsed', used),
    revoke: (keyId, now) => writer.call('revokeKey', keyId, now),
  };
}

export function redirectStore(reader: Reader, writer: WriterThread): RedirectStore {
  const ofKey = reader.query<Row<Redirect>>(`
    select ${redirectColumns.list} from redirects where api_key_id = ? and (created_at, id) > (?, ?)
    order by created_at, id limit ?`);
  return {
    async list(apiKeyId, page) {
      return pageOf(page, beforeAll, (after, limit) =>
        ofKey.all(apiKeyId, after.createdAt, after.id, limit).map(redirectColumns.of),
      );
    },
    add: (redirect, max) => writer.call('addRedirect', redirect, max),
    remove: (redirectId, apiKeyId) => writer.call('removeRedirect', redirectId, apiKeyId),
  };
}

export function subscriptionStore(reader: Reader, writer: WriterThread): SubscriptionStore {
  const select = `select ${subscriptions.list} from subscriptions`;
  const one = reader.query<Row<Subscription>>(`${select} where id = ?`);
  const ofAccount = reader.query<Row<Subscription>>(`${select}
    where account_id = ? and (created_at, id) < (?, ?) order by created_at desc, id desc limit ?`);
  const external = reader.query<Row<Subscription>>(
    `${select} where external_id = ? order by created_at desc, id desc limit 1`,
  );

  const ending = reader.query<Row<Subscription>>(`${select}
    where status = 'active' and source = ? and (expires_at, id) > (?, ?) and expires_at <= ?
    order by expires_at, id limit ?`);

  async function byId(subscriptionId: string) {
    const row = one.get(subscriptionId);
    return row === undefined ? null : subscriptions.of(row);
  }

  return {
    insert: (subscription) => writer.call('insertSubscription', subscription),
    byId,
    async list(accountId) {
      const { items } = await pageOf({ limit: null, cursor: null }, afterAll, (after, limit) =>
        ofAccount.all(accountId, after.createdAt, after.id, limit).map(subscriptions.of),
      );
      return items;
    },
    async byExternalId(externalId) {
      const row = external.get(externalId);
      return row === undefined ? null : subscriptions.of(row);
    },
    async update(subscriptionId, patch) {
      const found = await writer.call('updateSubscription', subscriptionId, patch);
      return found ? byId(subscriptionId) : null;
    },
    ending: async ({ source, after, until, limit }) =>
      ending.all(source, after.expiresAt, after.id, until, limit).map(subscriptions.of),
    lapse: (subscriptionId, expiresAt) => writer.call('lapseSubscription', subscriptionId, expiresAt),
    bill: (event, now) => writer.call('billSubscription', event, now),
  };
}
