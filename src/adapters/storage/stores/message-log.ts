/** What became of a message: its record, without what it says. */
import type { MessageLogStore } from '../../../use-cases/ports/message-log.ts';
import { recordFields } from '../entities/views.ts';
import type { RecordsOf } from '../records.ts';

export function messageLogStore(recordsOf: RecordsOf): MessageLogStore {
  const messages = recordsOf('messages').only(...recordFields);
  return {
    find: ({ id, channelId, accountId }) => messages.one({ id, channelId, accountId }),
    byId: (id) => messages.one({ id }),
  };
}
