/** Messages of an account ordered by time, for lists; without their content. */
import type { Delivered, Sent } from '../../domain/messages/listed.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { MessageRecord } from '../../domain/messages/timeline.ts';
import type { PagePosition } from './paging.ts';

export interface MessageListQuery {
  accountId: string;
  /** null: all channels. */
  channelId: string | null;
  /** null: all people. */
  person: string | null;
  /** Earliest `createdAt` (ms). */
  since: number;
  /** Only messages older than this position. */
  before: PagePosition;
  limit: number;
}

type SentMessage = Sent & Pick<MessageRecord, 'channelType'>;

/** Delivery of an event that carries a message. */
type DeliveredMessage = Delivered & Pick<Delivery, 'id'>;

export interface MessageListStore {
  /** Sent messages, newest first; includes markers of sends that never happened (state `abandoned`). */
  sent(query: MessageListQuery): Promise<SentMessage[]>;
  /** Received messages and echoes, newest first. A channel's list also contains statuses, which have no `messageType`. */
  delivered(query: MessageListQuery): Promise<DeliveredMessage[]>;
  /** The existing ones among a few ids. */
  among(accountId: string, ids: readonly string[]): Promise<SentMessage[]>;
}

/** Sent messages, looked up one by one for their timeline. */

export interface MessageLogStore {
  find(message: { accountId: string; channelId: string; id: string }): Promise<MessageRecord | null>;
  /** A message of any account: for operators. */
  byId(id: string): Promise<MessageRecord | null>;
}
