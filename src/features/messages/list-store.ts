/** Lists of messages, each along the index of its order. Every query names the account. */
import type { InChannel, RecordsOf } from '../../storage/records.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import type { MessageRecord } from './timeline-rules.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';
import { messages as messagesEntity } from '../../storage/entities/messages.ts';
import type { Delivered, Sent } from './listed.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import { steps } from './index-steps.ts';

export function messageListStore(recordsOf: RecordsOf) {
  const messages = recordsOf(messagesEntity).only(...sentFields);
  const deliveries = recordsOf(deliveriesEntity).only(...deliveredFields);
  const recipients = recordsOf(messagesEntity).only('recipient', 'createdAt', 'id');
  const people = recordsOf(deliveriesEntity).only('person', 'createdAt', 'id');
  return {
    /** Sent messages, newest first; includes markers of sends that never happened (state `abandoned`). */
    sent(query: MessageListQuery): Promise<SentMessage[]> {
      const { accountId, person } = query;
      const equal = { accountId, ...(person === null ? inChannel(query) : { recipient: person }) };
      return messages.list({ by: indexFor(query), equal, ...newestFirst(query) });
    },
    /** Received messages and echoes, newest first. A channel's list also contains statuses, which have no `messageType`. */
    delivered(query: MessageListQuery): Promise<DeliveredMessage[]> {
      const { accountId, person } = query;
      const equal = { accountId, ...(person === null ? inChannel(query) : { person }) };
      const index = indexFor(query);
      return deliveries.list({ by: index === 'byChannel' ? 'log' : index, equal, ...newestFirst(query) });
    },
    /** People of the account whose number or id begins with `prefix`, in order, at most `limit`: one step along an index for each. */
    async people(accountId: string, prefix: string, limit: number): Promise<string[]> {
      const [sent, delivered] = await Promise.all([
        steps(prefix, limit, async (range) => {
          const asked = { by: 'byPerson', equal: { accountId }, limit: 1 } as const;
          const [next] = await recipients.list({ ...asked, range: { on: 'recipient', ...range } });
          return next?.recipient ?? null;
        }),
        steps(prefix, limit, async (range) => {
          const asked = { by: 'byPerson', equal: { accountId }, limit: 1 } as const;
          const [next] = await people.list({ ...asked, range: { on: 'person', ...range } });
          return next?.person ?? null;
        }),
      ]);
      return [...new Set([...sent, ...delivered])].toSorted().slice(0, limit);
    },
    /** The existing ones among a few ids. */
    async among(accountId: string, ids: readonly string[]): Promise<SentMessage[]> {
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
export function messageLogStore(recordsOf: RecordsOf) {
  const messages = recordsOf(messagesEntity).only(...recordFields);
  return {
    find: ({ id, channelId, accountId }: InChannel): Promise<MessageRecord | null> =>
      messages.one({ id, channelId, accountId }),
    /** A message of any account: for operators. */
    byId: (id: string): Promise<MessageRecord | null> => messages.one({ id }),
  };
}

/** Sent messages, looked up one by one for their timeline. */
export type MessageLogStore = ReturnType<typeof messageLogStore>;

/** A message without its content. */
const recordFields = [
  'id', 'channelId', 'accountId', 'channelType', 'origin', 'recipient', 'state', 'rank', 'deliveryFailed', 'copies',
  'messageType', 'tries', 'attemptedAt', 'statusAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'nextTryAt', 'upstreamIds', 'calls',
  'error', 'errorCode', 'epoch', 'createdAt',
] as const satisfies (keyof MessageRecord)[]; // oxfmt-ignore

/** Messages of an account ordered by time, for lists; without their content. */
export interface MessageListQuery {
  accountId: string;
  /** null: all channels. Must be null with a person: no index has both, so few of very many would be looked for in one read. [faults: 408] */
  channelId: string | null;
  /** null: all people. */
  person: string | null;
  /** Earliest `createdAt` (ms). */
  since: number;
  /** Only messages older than this position. */
  before: PagePosition;
  limit: number;
}

/** What lists show of a message: neither its content nor its calls, which are most of its row. */
const sentFields = [
  'id', 'channelId', 'accountId', 'channelType', 'origin', 'recipient', 'messageType', 'state', 'rank', 'deliveryFailed', 'createdAt',
] as const satisfies (keyof OutboundMessage)[]; // oxfmt-ignore

const deliveredFields = [
  'id', 'channelId', 'event', 'messageId', 'person', 'messageType', 'createdAt',
] as const satisfies (keyof Delivery)[]; // oxfmt-ignore

type SentMessage = Sent & Pick<MessageRecord, 'channelType'>;

/** Delivery of an event that carries a message. */
type DeliveredMessage = Delivered & Pick<Delivery, 'id'>;
