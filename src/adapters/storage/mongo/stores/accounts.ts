/** Accounts, keys and redirects. */
import type { Redirect } from '../../../../domain/accounts/account.ts';
import type { AccountStore, KeyStore, RedirectStore } from '../../../../use-cases/ports/accounts.ts';
import type { MongoContext } from '../collections.ts';
import { accountOf, keyOf, redirectOf, stored } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import { insertOnce } from './insert-once.ts';
import { pageOf } from './paging.ts';

export function accountStore({ accounts, keys, subscriptions, retryPolicy }: MongoContext): AccountStore {
  return {
    /**
     * The account is written last: its e-mail decides, and before it nobody can find key or trial by anything they know.
     * No transaction: a standalone has none. Repeating it finds the same ids there.
     */
    async create(account, key, trial) {
      if (key !== null) await insertOnce(retryPolicy, 'insert a key', () => keys.insertOne(stored(key)));
      await insertOnce(retryPolicy, 'insert a trial', () => subscriptions.insertOne(stored(trial)));
      const made = await retryPolicy.run('insert an account', async () => {
        try {
          await accounts.insertOne(stored(account));
          return true;
        } catch (error) {
          const holder = await accounts.findOne({ email: account.email });
          if (holder === null) throw error;
          return holder._id === account.id;
        }
      });
      if (made) return true;
      if (key !== null) await retryPolicy.run('drop a key', () => keys.deleteOne({ _id: key.id }));
      await retryPolicy.run('drop a trial', () => subscriptions.deleteOne({ _id: trial.id }));
      return false;
    },
    async byId(accountId) {
      const found = await retryPolicy.run('read an account', () => accounts.findOne({ _id: accountId }));
      return found === null ? null : accountOf(found);
    },
    page: (page) => retryPolicy.run('list accounts', () => pageOf(accounts, {}, page, -1, accountOf)),
    async byEmail(email) {
      const found = await retryPolicy.run('read an account', () => accounts.findOne({ email }));
      return found === null ? null : accountOf(found);
    },
  };
}

export function keyStore({ keys, retryPolicy }: MongoContext): KeyStore {
  return {
    insert: (key) => insertOnce(retryPolicy, 'insert a key', () => keys.insertOne(stored(key))),
    async activeByHash(hash) {
      const found = await retryPolicy.run('read a key', () =>
        keys.findOne({ hash, revokedAt: { $exists: false } }),
      );
      return found === null ? null : keyOf(found);
    },
    async list(accountId) {
      const found = await retryPolicy.run('list keys', () =>
        keys.find({ accountId }).sort({ createdAt: 1, _id: 1 }).toArray(),
      );
      return found.map(keyOf);
    },
    page: (accountId, page) =>
      retryPolicy.run('list keys', () =>
        pageOf(keys, { accountId, revokedAt: { $exists: false } }, page, -1, keyOf),
      ),
    async inAccount(keyId, accountId) {
      const found = await retryPolicy.run('read a key', () =>
        keys.findOne({ _id: keyId, accountId, revokedAt: { $exists: false } }),
      );
      return found === null ? null : keyOf(found);
    },
    async noteUsed(used) {
      if (used.length === 0) return;
      const updates = used.map(({ keyId, at }) => ({
        updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt: at } } },
      }));
      await retryPolicy.run('note when keys were used', () => keys.bulkWrite(updates, { ordered: false }));
    },
    async revoke(keyId, now) {
      return retryPolicy.run('revoke a key', async (attempt) => {
        const { matchedCount } = await keys.updateOne(
          { _id: keyId, revokedAt: { $exists: false } },
          { $set: { revokedAt: now } },
        );
        if (matchedCount === 1 || attempt === 0) return matchedCount === 1;
        return (await keys.findOne({ _id: keyId, revokedAt: now })) !== null;
      });
    },
  };
}

export function redirectStore({ redirects, retryPolicy }: MongoContext): RedirectStore {
  /** A free place of the key; null when all are taken. */
  async function freePlace(apiKeyId: string, max: number): Promise<number | null> {
    const taken = await redirects.find({ apiKeyId }, { projection: { place: 1 } }).toArray();
    const places = new Set(taken.map(({ place }) => place));
    for (let place = 0; place < max; place += 1) if (!places.has(place)) return place;
    return null;
  }

  /** Places under a unique index: however many race, no more than `max` get in. */
  async function insert(redirect: Redirect, max: number): Promise<boolean> {
    for (;;) {
      const place = await retryPolicy.run('read redirects', () => freePlace(redirect.apiKeyId, max));
      if (place === null) return false;
      try {
        await insertOnce(retryPolicy, 'insert a redirect', () =>
          redirects.insertOne({ ...stored(redirect), place }),
        );
        return true;
      } catch (error) {
        if (!(error instanceof DuplicateKey && error.index === 'place')) throw error;
        if (
          (await retryPolicy.run('read a redirect', () => redirects.findOne({ _id: redirect.id }))) !== null
        ) {
          return true;
        }
      }
    }
  }

  return {
    list: (apiKeyId, page) =>
      retryPolicy.run('list redirects', () => pageOf(redirects, { apiKeyId }, page, 1, redirectOf)),
    insert,
    async remove(redirectId, apiKeyId) {
      const { deletedCount } = await retryPolicy.run('remove a redirect', () =>
        redirects.deleteOne({ _id: redirectId, apiKeyId }),
      );
      return deletedCount === 1;
    },
  };
}
