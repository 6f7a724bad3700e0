/** Secrets that were handed to people: of sessions and of links in mails. */
import type { Pass } from '../../../domain/accounts/person.ts';
import type { PassStore } from '../../../use-cases/ports/people.ts';
import type { StoredPass } from '../entities/passes.ts';
import { insertNew } from '../records.ts';
import type { RecordsOf } from '../records.ts';

export function passStore(recordsOf: RecordsOf): PassStore {
  const passes = recordsOf('passes');
  return {
    insert: ({ personId, ...pass }) => insertNew(passes, { ...pass, accountId: personId }),
    find: async (id, kind, now) => orNull(await passes.one({ id, kind }, { on: 'expiresAt', above: now })),
    take: async (id, kind, now) => orNull(await passes.take({ id, kind }, { on: 'expiresAt', above: now })),
    async keepNewest(personId, kind, count) {
      const equal = { accountId: personId, kind };
      const older = await passes.list({
        by: 'ofAccount',
        equal,
        isDescending: true,
        skip: count,
        limit: null,
      });
      if (older.length > 0) await passes.removeEach(older.map(({ id }) => id));
    },
    async dropForPerson(personId) {
      const equal = { accountId: personId };
      const all = await passes.list({ by: 'ofAccount', equal, limit: null });
      if (all.length > 0) await passes.removeEach(all.map(({ id }) => id));
    },
    dropExpired: (before) => passes.sweep({ on: 'expiresAt', below: before }),
  };
}

function orNull(found: StoredPass | null): Pass | null {
  if (found === null) return null;
  const { accountId: personId, ...pass } = found;
  return { ...pass, personId };
}
