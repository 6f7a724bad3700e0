/** Accounts, keys, redirects and licences: reads here, writes through the line. */
import type { AccountStore, KeyStore, RedirectStore } from '../../../../use-cases/ports/accounts.ts';
import type { SubscriptionStore } from '../../../../use-cases/ports/licences.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import {
  accountOf,
  keyColumns,
  keyOf,
  redirectColumns,
  redirectOf,
  subscriptionColumns,
  subscriptionOf,
} from '../rows.ts';
import type { AccountRow, KeyRow, RedirectRow, SubscriptionRow } from '../rows.ts';
import { beforeAll, pageOf } from './paging.ts';

export function accountStore(reader: Reader, writer: WriterThread): AccountStore {
  const byId = reader.query<AccountRow>('select id, email, name, created_at from accounts where id = ?');
  return {
    create: (account, key, trial) => writer.call('createAccount', account, key, trial),
    async byId(accountId) {
      const row = byId.get(accountId);
      return row === undefined ? null : accountOf(row);
    },
  };
}

export function keyStore(reader: Reader, writer: WriterThread): KeyStore {
  const byHash = reader.query<KeyRow>(
    `select ${keyColumns} from api_keys where hash = ? and revoked_at is null`,
  );
  const ofAccount = reader.query<KeyRow>(
    `select ${keyColumns} from api_keys where account_id = ? order by created_at, id`,
  );
  return {
    insert: (key) => writer.call('insertKey', key),
    async activeByHash(hash) {
      const row = byHash.get(hash);
      return row === undefined ? null : keyOf(row);
    },
    list: async (accountId) => ofAccount.all(accountId).map(keyOf),
    revoke: (keyId, now) => writer.call('revokeKey', keyId, now),
  };
}

export function redirectStore(reader: Reader, writer: WriterThread): RedirectStore {
  const ofKey = reader.query<RedirectRow>(`
    select ${redirectColumns} from redirects where api_key_id = ? and (created_at, id) > (?, ?)
    order by created_at, id limit ?`);
  return {
    async list(apiKeyId, page) {
      return pageOf(page, beforeAll, {
        rows: (after, limit) => ofKey.all(apiKeyId, after.createdAt, after.id, limit),
        item: redirectOf,
      });
    },
    insert: (redirect, most) => writer.call('insertRedirect', redirect, most),
    remove: (redirectId, apiKeyId) => writer.call('removeRedirect', redirectId, apiKeyId),
  };
}

export function subscriptionStore(reader: Reader, writer: WriterThread): SubscriptionStore {
  const select = `select ${subscriptionColumns} from subscriptions`;
  const one = reader.query<SubscriptionRow>(`${select} where id = ?`);
  const ofAccount = reader.query<SubscriptionRow>(
    `${select} where account_id = ? order by created_at desc, id desc`,
  );
  const external = reader.query<SubscriptionRow>(
    `${select} where external_id = ? order by created_at desc, id desc limit 1`,
  );

  async function byId(subscriptionId: string) {
    const row = one.get(subscriptionId);
    return row === undefined ? null : subscriptionOf(row);
  }

  return {
    insert: (subscription) => writer.call('insertSubscription', subscription),
    byId,
    list: async (accountId) => ofAccount.all(accountId).map(subscriptionOf),
    async byExternalId(externalId) {
      const row = external.get(externalId);
      return row === undefined ? null : subscriptionOf(row);
    },
    async update(subscriptionId, patch) {
      const found = await writer.call('updateSubscription', subscriptionId, patch);
      return found ? byId(subscriptionId) : null;
    },
  };
}
