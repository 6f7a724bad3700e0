import type { SetupSessionStore } from '../../upstream/connecting-port.ts';
import { insertNew } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { setupSessions } from './entity.ts';

export function setupSessionStore(recordsOf: RecordsOf): SetupSessionStore {
  const sessions = recordsOf(setupSessions);
  const places = sessions.only('id', 'accountId', 'expiresAt');
  const unfinished = (id: string, tokenHash: string, now: number) => ({
    which: { id, tokenHash, finishedAt: null },
    range: { on: 'expiresAt', above: now } as const,
  });
  return {
    insert: (session) => insertNew(sessions, session),
    unfinished: (accountId, now, limit) =>
      places.list({
        by: 'ofAccount',
        equal: { accountId, finishedAt: null },
        range: { on: 'expiresAt', above: now },
        limit,
      }),
    open(id, tokenHash, now) {
      const { which, range } = unfinished(id, tokenHash, now);
      return sessions.one(which, range);
    },
    finish: (id, tokenHash, now) =>
      sessions.patch({ ...unfinished(id, tokenHash, now), change: { set: { finishedAt: now } } }),
    async reopen({ id, finishedAt }) {
      if (finishedAt === null) return;
      await sessions.patchEach([{ which: { id, finishedAt }, change: { set: { finishedAt: null } } }]);
    },
    dropExpired: (before, stopping) => sessions.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}
