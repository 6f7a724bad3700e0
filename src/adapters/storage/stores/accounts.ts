/** Accounts and their keys. */
import type { AccountStore, KeyStore } from '../../../use-cases/ports/accounts.ts';
import { insertNew, readPage } from '../records.ts';
import type { RecordsOf } from '../records.ts';

export function accountStore(recordsOf: RecordsOf): AccountStore {
  const accounts = recordsOf('accounts');
  const keys = recordsOf('apiKeys');
  const licences = recordsOf('subscriptions');
  return {
    /** The account is written last: its e-mail decides, and before it nobody can find key or trial by anything they know. */
    async create(account, key, trial) {
      if (key !== null) await insertNew(keys, key);
      await insertNew(licences, trial);
      if (await accounts.insert(account)) return true;
      if (key !== null) await keys.remove({ id: key.id });
      await licences.remove({ id: trial.id });
      return false;
    },
    byId: (id) => accounts.one({ id }),
    byEmail: (email) => accounts.one({ email }),
    suspend: (id, since) =>
      accounts.patch({
        which: { id },
        change: since === null ? { set: { suspendedAt: null } } : { min: { suspendedAt: since } },
      }),
    page: (page) => readPage(accounts, { by: 'byAge', isDescending: true }, page),
  };
}

export function keyStore(recordsOf: RecordsOf): KeyStore {
  const keys = recordsOf('apiKeys');
  return {
    /** Counted after it is there: of any that race the last sees all, so that no more than `max` stay. */
    async insert(key, max) {
      await insertNew(keys, key);
      const { accountId } = key;
      const equal = { accountId, revokedAt: null };
      const live = await keys.list({ by: 'ofAccount', equal, limit: max + 1 });
      if (live.length <= max) return true;
      await keys.remove({ id: key.id });
      return false;
    },
    activeByHash: (hash) => keys.one({ hash, revokedAt: null }),
    list: (accountId) => keys.list({ by: 'ofAccount', equal: { accountId }, limit: null }),
    page: (accountId, page) =>
      readPage(keys, { by: 'ofAccount', equal: { accountId, revokedAt: null }, isDescending: true }, page),
    byId: (id) => keys.one({ id }),
    inAccount: (id, accountId) => keys.one({ id, accountId, revokedAt: null }),
    noteUsed: (used) =>
      keys.patchEach(
        used.map(({ keyId, at }) => ({ which: { id: keyId }, change: { max: { lastUsedAt: at } } })),
      ),
    async revoke(id, now) {
      const revoked = await keys.patch({
        which: { id, revokedAt: null },
        change: { set: { revokedAt: now } },
      });
      return revoked !== null;
    },
  };
}
