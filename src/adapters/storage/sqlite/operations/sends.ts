/** The write that settles a send whose owner vanished. */
import type { OutboundMessage } from '../../../../domain/messages/message.ts';
import type { SettledSend } from '../../../../use-cases/ports/messages.ts';
import { packId } from '../packed-ids.ts';
import type { Database } from '../sqlite.ts';
import { makeInsertMessage } from './messages.ts';

interface StandingRow {
  state: SettledSend['state'];
  error: string | null;
  error_code: number | null;
}

export function sendOperations(db: Database) {
  const insert = makeInsertMessage(db);
  const standing = db.prepare<StandingRow>(
    'select state, error, error_code from messages where id = ? and channel_id = ?',
  );
  return {
    settleSend(message: OutboundMessage): SettledSend {
      insert(message.channelId, message.epoch, message);
      const row = standing.get(packId(message.id), packId(message.channelId));
      if (row === undefined) throw new Error('the message id is taken in another channel');
      return { state: row.state, error: row.error, errorCode: row.error_code };
    },
  };
}
