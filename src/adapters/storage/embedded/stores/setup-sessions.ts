/** Setup sessions. */
import type { SetupSession, SetupSessionStore } from '../../../../use-cases/ports/connecting.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { setupSessions } from '../tables.ts';
import type { Row } from '../table.ts';

export function setupSessionStore(reader: Reader, writer: WriterThread): SetupSessionStore {
  const select = `select ${setupSessions.list} from setup_sessions where id = ? and token_hash = ?`;
  const unfinished = reader.query<Row<SetupSession>>(`${select} and finished_at is null and expires_at > ?`);
  const one = reader.query<Row<SetupSession>>(select);
  return {
    insert: (session) => writer.call('insertSession', session),
    async open(sessionId, tokenHash, now) {
      const row = unfinished.get(sessionId, tokenHash, now);
      return row === undefined ? null : setupSessions.of(row);
    },
    async finish(sessionId, tokenHash, now) {
      const won = await writer.call('finishSession', sessionId, tokenHash, now);
      const row = won ? one.get(sessionId, tokenHash) : undefined;
      return row === undefined ? null : setupSessions.of(row);
    },
    reopen: ({ id, finishedAt }) => writer.call('reopenSession', id, finishedAt),
    dropExpired: (before) => writer.call('dropExpiredSessions', before),
  };
}
