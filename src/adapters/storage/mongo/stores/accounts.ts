/** Accounts, keys and redirects. */
import type { Redirect } from '../../../../domain/accounts/account.ts';
import type { AccountStore, KeyStore, RedirectStore } from '../../../../use-cases/ports/accounts.ts';
import type { MongoContext } from '../collections.ts';
import { accountOf, keyOf, redirectOf, stored } from '../documents.ts';
import type { RedirectDocument } from '../documents.ts';
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
    /** Counted after it is there: of any that race the last sees all, so that no more than `max` stay. */
    async insert(key, max) {
      await insertOnce(retryPolicy, 'insert a key', () => keys.insertOne(stored(key)));
      const { accountId } = key;
      const live = await retryPolicy.run('count keys', () =>
        keys.countDocuments({ accountId, revokedAt: { $exists: false } }, { limit: max + 1 }),
      );
      if (live <= max) return true;
      await retryPolicy.run('drop a key', () => keys.deleteOne({ _id: key.id }));
      return false;
    },
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
  const heldBy = (apiKeyId: string) =>
    retryPolicy.run('read redirects', () =>
      redirects.find({ apiKeyId }).sort({ createdAt: 1, _id: 1 }).toArray(),
    );

  /** Places and patterns under unique indexes: however many race, no more than `max` get in, and none twice. */
  async function add(redirect: Redirect, max: number): Promise<Redirect | null> {
    for (;;) {
      const held = await heldBy(redirect.apiKeyId);
      const same = held.find(({ uriPattern }) => uriPattern === redirect.uriPattern);
      if (same !== undefined) return redirectOf(same);
      const place = freePlace(held, max);
      if (place === null) return null;
      try {
        await insertOnce(retryPolicy, 'insert a redirect', () =>
          redirects.insertOne({ ...stored(redirect), place, unique: redirect.uriPattern }),
        );
        return redirect;
      } catch (error) {
        // Another took it, or an earlier attempt of ours whose answer was lost: the next look says which.
        if (!(error instanceof DuplicateKey && (error.index === 'place' || error.index === 'pattern')))
          throw error;
      }
    }
  }

  return {
    list: (apiKeyId, page) =>
      retryPolicy.run('list redirects', () => pageOf(redirects, { apiKeyId }, page, 1, redirectOf)),
    add,
    async remove(redirectId, apiKeyId) {
      const found = await retryPolicy.run('read a redirect', () =>
        redirects.findOne({ _id: redirectId, apiKeyId }),
      );
      if (found === null) return false;
      return retryPolicy.run('remove a redirect', async (attempt) => {
        const { deletedCount } = await redirects.deleteMany({ apiKeyId, uriPattern: found.uriPattern });
        return deletedCount > 0 || attempt > 0;
      });
    },
  };
}

/** A free place of the key; null when all are taken. */
function freePlace(held: readonly RedirectDocument[], max: number): number | null {
  const places = new Set(held.map(({ place }) => place));
  for (let place = 0; place < max; place += 1) if (!places.has(place)) return place;
  return null;
}
