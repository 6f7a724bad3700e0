/** What became of a message: its record, without what it says. */
import type { MessageRecord } from '../../../../domain/messages/timeline.ts';
import type { MessageLogStore } from '../../../../use-cases/ports/message-log.ts';
import type { Query, Reader } from '../reader.ts';
import { recordColumns } from '../tables.ts';
import type { Row } from '../table.ts';

export function messageLogStore(reader: Reader): MessageLogStore {
  const where = (which: string): Query<Row<MessageRecord>> =>
    reader.query(`select ${recordColumns.list} from messages where id = ? ${which}`);
  const ofAccount = where('and channel_id = ? and account_id = ?');
  const any = where('');
  return {
    find: async ({ id, channelId, accountId }) => toMessageRecord(ofAccount.get(id, channelId, accountId)),
    byId: async (id) => toMessageRecord(any.get(id)),
  };
}

function toMessageRecord(row: Row<MessageRecord> | undefined): MessageRecord | null {
  return row === undefined ? null : recordColumns.of(row);
}
