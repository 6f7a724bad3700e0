/** Writes to setup sessions. */
import type { SetupSession } from '../../../../use-cases/ports/connecting.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { setupSessions } from '../tables.ts';

export function setupSessionOperations(db: Database) {
  const add = setupSessions.insert(db);
  const finish = db.prepare(`
    update setup_sessions set finished_at = ?1
    where id = ?2 and token_hash = ?3 and finished_at is null and expires_at > ?1`);
  const reopen = db.prepare('update setup_sessions set finished_at = null where id = ? and finished_at = ?');
  const drop = db.prepare('delete from setup_sessions where expires_at < ?');

  return {
    insertSession(session: SetupSession): void {
      add(session);
    },
    finishSession: (sessionId: string, tokenHash: string, now: number): boolean =>
      changed(finish.run(now, sessionId, tokenHash)) === 1,
    reopenSession(id: string, finishedAt: number | null): void {
      reopen.run(id, finishedAt);
    },
    dropExpiredSessions: (before: number): number => changed(drop.run(before)),
  };
}
