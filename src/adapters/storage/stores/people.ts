/** People who sign in, and their passes. */
import type { PassStore, PersonStore } from '../../../use-cases/ports/people.ts';
import { insertNew } from '../records.ts';
import type { RecordsOf } from '../records.ts';

export function personStore(recordsOf: RecordsOf): PersonStore {
  const people = recordsOf('people');
  const accounts = recordsOf('accounts');
  return {
    insert: (person) => people.insert(person),
    byId: (id) => people.one({ id }),
    byEmail: (email) => people.one({ email }),
    async setPassword(id, { passwordHash, passwordVersion }) {
      const change = { set: { passwordHash, passwordVersion } };
      return (await people.patch({ which: { id }, change })) !== null;
    },
    /** The account's unique address decides; who fails in between asks again and finds the address theirs. */
    async prove(id, email, now) {
      if ((await accounts.patch({ which: { id }, change: { set: { email } } })) === null) return false;
      const change = { set: { email }, min: { confirmedAt: now } };
      return (await people.patch({ which: { id }, change })) !== null;
    },
  };
}

export function passStore(recordsOf: RecordsOf): PassStore {
  const passes = recordsOf('passes');
  return {
    insert: (pass) => insertNew(passes, pass),
    find: (id, kind, now) => passes.one({ id, kind }, { on: 'expiresAt', above: now }),
    take: (id, kind, now) => passes.take({ id, kind }, { on: 'expiresAt', above: now }),
    async keepNewest(accountId, kind, count) {
      const equal = { accountId, kind };
      const older = await passes.list({
        by: 'ofAccount',
        equal,
        isDescending: true,
        skip: count,
        limit: null,
      });
      if (older.length > 0) await passes.removeEach(older.map(({ id }) => id));
    },
    dropExpired: (before) => passes.sweep({ on: 'expiresAt', below: before }),
  };
}
