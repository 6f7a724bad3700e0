/** Lists of messages, each along the index that has its order. Whose they are is asked with every one. */
import type {
  MessageListQuery,
  MessageListStore,
  MessageLogStore,
} from '../../../use-cases/ports/message-list.ts';
import type { RecordsOf } from '../records.ts';
import { recordFields } from '../entities/views.ts';

export function messageListStore(recordsOf: RecordsOf): MessageListStore {
  const messages = recordsOf('messages');
  const deliveries = recordsOf('deliveries');
  return {
    sent(query) {
      const { accountId, person } = query;
      const equal = { accountId, ...inChannel(query), ...(person === null ? {} : { recipient: person }) };
      return messages.list({ by: indexFor(query), equal, ...newestFirst(query) });
    },
    delivered(query) {
      const { accountId, person } = query;
      const equal = { accountId, ...inChannel(query), ...(person === null ? {} : { person }) };
      const index = indexFor(query);
      return deliveries.list({ by: index === 'byChannel' ? 'log' : index, equal, ...newestFirst(query) });
    },
    async among(accountId, ids) {
      const found = await messages.some(ids);
      return found.filter((message) => message.accountId === accountId);
    },
  };
}

function indexFor({ channelId, person }: MessageListQuery): 'byPerson' | 'byChannel' | 'byAccount' {
  if (person !== null) return 'byPerson';
  return channelId === null ? 'byAccount' : 'byChannel';
}

function inChannel({ channelId }: MessageListQuery): { channelId?: string } {
  return channelId === null ? {} : { channelId };
}

function newestFirst({ since, before, limit }: MessageListQuery) {
  return {
    range: { on: 'createdAt', from: since } as const,
    after: [before.createdAt, before.id],
    isDescending: true,
    limit,
  };
}

/** What became of a message: its record, without what it says. */

export function messageLogStore(recordsOf: RecordsOf): MessageLogStore {
  const messages = recordsOf('messages').only(...recordFields);
  return {
    find: ({ id, channelId, accountId }) => messages.one({ id, channelId, accountId }),
    byId: (id) => messages.one({ id }),
  };
}
