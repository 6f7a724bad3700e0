/** Messages of an account in the order of time, for lists. Nothing of what they say. */
import type { Delivered, Sent } from '../../domain/messages/listed.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { MessageRecord } from '../../domain/messages/timeline.ts';
import type { PagePosition } from './paging.ts';

export interface MessageListQuery {
  accountId: string;
  /** null: all channels. */
  channelId: string | null;
  /** null: everybody. */
  person: string | null;
  /** Nothing that was made before it (ms). */
  since: number;
  /** Nothing that stands here or is newer. */
  before: PagePosition;
  limit: number;
}

type SentMessage = Sent & Pick<MessageRecord, 'channelType'>;

/** The delivery of an event that brings a message. */
type DeliveredMessage = Delivered & Pick<Delivery, 'id'>;

export interface MessageListStore {
  /** What went out, newest first; the markers of what never did are among them. */
  sent(query: MessageListQuery): Promise<SentMessage[]>;
  /** What came in and echoes, newest first; in a list of a channel statuses are among them, which have no `messageType`. */
  delivered(query: MessageListQuery): Promise<DeliveredMessage[]>;
  /** Those that there are of a few ids. */
  among(accountId: string, ids: readonly string[]): Promise<SentMessage[]>;
}

/** The messages that went out on a channel, for who asks what became of one. */

export interface MessageLogStore {
  find(message: { accountId: string; channelId: string; id: string }): Promise<MessageRecord | null>;
  /** Whoever's it is: for operators. */
  byId(id: string): Promise<MessageRecord | null>;
}
