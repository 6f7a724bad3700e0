/** People who sign in, and their passes. */
import type { PassStore, PersonStore } from '../../../../use-cases/ports/people.ts';
import type { MongoContext } from '../collections.ts';
import { passOf, personOf, stored } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import { newToken } from '../commands.ts';

export function personStore({ accounts, people, retryPolicy }: MongoContext): PersonStore {
  return {
    async insert(person) {
      return retryPolicy.run('insert a person', async (attempt) => {
        try {
          await people.insertOne(stored(person));
          return true;
        } catch (error) {
          const { passwordVersion } = person;
          const there = await people.findOne({ $or: [{ _id: person.id }, { email: person.email }] });
          if (there === null) throw error;
          return attempt > 0 && there._id === person.id && there.passwordVersion === passwordVersion;
        }
      });
    },
    async byId(accountId) {
      const found = await retryPolicy.run('read a person', () => people.findOne({ _id: accountId }));
      return found === null ? null : personOf(found);
    },
    async byEmail(email) {
      const found = await retryPolicy.run('read a person', () => people.findOne({ email }));
      return found === null ? null : personOf(found);
    },
    async setPassword(accountId, { passwordHash, passwordVersion }) {
      const set = { passwordVersion, ...(passwordHash === null ? {} : { passwordHash }) };
      const { matchedCount } = await retryPolicy.run('set a password', () =>
        people.updateOne(
          { _id: accountId },
          { $set: set, ...(passwordHash === null ? { $unset: { passwordHash: '' } } : {}) },
        ),
      );
      return matchedCount === 1;
    },
    /** The account's unique address decides; who fails in between asks again and finds the address theirs. */
    async prove(accountId, email, now) {
      try {
        const { matchedCount } = await retryPolicy.run('give an account its address', () =>
          accounts.updateOne({ _id: accountId }, { $set: { email } }),
        );
        if (matchedCount === 0) return false;
      } catch (error) {
        if (error instanceof DuplicateKey) return false;
        throw error;
      }
      const { matchedCount } = await retryPolicy.run('give a person their address', () =>
        people.updateOne({ _id: accountId }, { $set: { email }, $min: { confirmedAt: now } }),
      );
      return matchedCount === 1;
    },
  };
}

export function passStore({ passes, retryPolicy }: MongoContext): PassStore {
  return {
    async insert(pass) {
      let isRepeated = false;
      try {
        await retryPolicy.run('insert a pass', (attempt) => {
          isRepeated = attempt > 0;
          return passes.insertOne({ ...stored(pass), expiresAt: new Date(pass.expiresAt) });
        });
      } catch (error) {
        if (!(isRepeated && error instanceof DuplicateKey)) throw error;
      }
    },
    async find(id, kind, now) {
      const found = await retryPolicy.run('read a pass', () =>
        passes.findOne({ _id: id, kind, taker: { $exists: false }, expiresAt: { $gt: new Date(now) } }),
      );
      return found === null ? null : passOf(found);
    },
    /** Marked, not deleted: a repeated attempt that finds its own mark was not in vain. The TTL index cleans up. */
    async take(id, kind, now) {
      const taker = newToken();
      const open = { _id: id, kind, taker: { $exists: false }, expiresAt: { $gt: new Date(now) } };
      const found = await retryPolicy.run('take a pass', async (attempt) => {
        const taken = await passes.findOneAndUpdate(open, { $set: { taker } }, { returnDocument: 'after' });
        return taken !== null || attempt === 0 ? taken : passes.findOne({ _id: id, taker });
      });
      return found === null ? null : passOf(found);
    },
    async keepNewest(accountId, kind, count) {
      const older = await retryPolicy.run('find old passes', () =>
        passes
          .find({ accountId, kind, taker: { $exists: false } }, { projection: { _id: 1 } })
          .sort({ createdAt: -1, _id: -1 })
          .skip(count)
          .toArray(),
      );
      if (older.length === 0) return;
      const ids = older.map(({ _id }) => _id);
      await retryPolicy.run('drop old passes', () => passes.deleteMany({ _id: { $in: ids } }));
    },
    async dropExpired(before) {
      const { deletedCount } = await retryPolicy.run('drop passes', () =>
        passes.deleteMany({ expiresAt: { $lt: new Date(before) } }),
      );
      return deletedCount;
    },
  };
}
