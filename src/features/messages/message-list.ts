/** Lists of messages, each along the index of its order. Every query names the account. */
import type { MessageListQuery, MessageListStore, MessageLogStore } from './port.ts';
import type { RecordsOf } from '../../storage/records.ts';
import type { MessageRecord } from './timeline-rules.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';
import { messages as messagesEntity } from '../../storage/entities/messages.ts';

export function messageListStore(recordsOf: RecordsOf): MessageListStore {
  const messages = recordsOf(messagesEntity);
  const deliveries = recordsOf(deliveriesEntity);
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

/** Records of messages, without their content. */
export function messageLogStore(recordsOf: RecordsOf): MessageLogStore {
  const messages = recordsOf(messagesEntity).only(...recordFields);
  return {
    find: ({ id, channelId, accountId }) => messages.one({ id, channelId, accountId }),
    byId: (id) => messages.one({ id }),
  };
}

/** A message without its content. */
const recordFields = [
  'id', 'channelId', 'accountId', 'channelType', 'origin', 'recipient', 'state', 'rank', 'deliveryFailed', 'copies',
  'messageType', 'tries', 'attemptedAt', 'statusAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'nextTryAt', 'upstreamIds', 'calls',
  'error', 'errorCode', 'epoch', 'createdAt',
] as const satisfies (keyof MessageRecord)[]; // oxfmt-ignore
