import type { SealedText } from '../../kernel/sealed.ts';
import { insertNew } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { setupSessions } from './entity.ts';
import type { SetupSession } from './entity.ts';

export function setupSessionStore(recordsOf: RecordsOf) {
  const sessions = recordsOf(setupSessions);
  const places = sessions.only('id', 'accountId', 'expiresAt');
  const unfinished = (id: string, tokenHash: string, now: number) => ({
    which: { id, tokenHash, finishedAt: null },
    range: { on: 'expiresAt', above: now } as const,
  });
  return {
    insert: (session: SetupSession): Promise<void> => insertNew(sessions, session),
    /** Of the account's unexpired, unfinished sessions, choices included, the `limit` that expire first. */
    unfinished: (
      accountId: string,
      now: number,
      limit: number,
    ): Promise<Pick<SetupSession, 'id' | 'expiresAt'>[]> =>
      places.list({
        by: 'ofAccount',
        equal: { accountId, finishedAt: null },
        range: { on: 'expiresAt', above: now },
        limit,
      }),
    /** The unexpired, unfinished session with this id and token; null otherwise. */
    open(id: string, tokenHash: string, now: number): Promise<SetupSession | null> {
      const { which, range } = unfinished(id, tokenHash, now);
      return sessions.one(which, range);
    },
    /** As `open`, and finishes the session: exactly one caller gets it. */
    finish: (id: string, tokenHash: string, now: number): Promise<SetupSession | null> =>
      sessions.patch({ ...unfinished(id, tokenHash, now), change: { set: { finishedAt: now } } }),
    /** As `open`, finished or not. */
    known: (id: string, tokenHash: string, now: number): Promise<SetupSession | null> =>
      sessions.one({ id, tokenHash }, { on: 'expiresAt', above: now }),
    /** How this `finish` ended. */
    noteEnding: (
      { id, finishedAt }: Pick<SetupSession, 'id' | 'finishedAt'>,
      ending: SealedText,
    ): Promise<void> => sessions.patchEach([{ which: { id, finishedAt }, change: { set: { ending } } }]),
    /** Undoes this `finish`, unless the session was finished again meanwhile. */
    async reopen({ id, finishedAt }: Pick<SetupSession, 'id' | 'finishedAt'>): Promise<void> {
      if (finishedAt === null) return;
      await sessions.patchEach([{ which: { id, finishedAt }, change: { set: { finishedAt: null } } }]);
    },
    dropExpired: (before: number, stopping?: AbortSignal): Promise<number> =>
      sessions.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}
