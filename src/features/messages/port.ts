/**
 * Sends and upstream's facts: records that must be durable before anything else happens, the router to a channel's owner, and the
 * quarantine of what could not be handled. Lists of messages.
 */
import type { Delivered, Sent } from './listed.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { MessageRecord } from './timeline-rules.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import type { IdempotencyRecord } from '../../storage/entities/messages.ts';
import type { StrandedFacts } from '../../storage/entities/facts.ts';

type RecordId = Pick<IdempotencyRecord, 'accountId' | 'key' | 'messageId'>;

export interface IdempotencyStore {
  /** Inserts unless the account has used the key since `notBefore`; returns the stored record. */
  begin(record: IdempotencyRecord, notBefore: number): Promise<IdempotencyRecord>;
  /** Stores the answer on the record of this message id, unless it has one: the first answer is kept. */
  answered(record: RecordId, answer: unknown): Promise<void>;
  /**
   * After a refusal nothing was sent, and the key may be used again. A record of another message id is kept, and one with an answer: a
   * concurrent request has sent under it.
   */
  forget(record: RecordId): Promise<void>;
  dropOlder(than: number, stopping?: AbortSignal): Promise<number>;
}

export interface StrandedFactsStore {
  /** Stores all of them durably, or rejects. A record whose id exists is left unchanged. */
  add(stranded: readonly StrandedFacts[]): Promise<void>;
  /** Channels with stranded facts, by id, the first `limit` after `after`. Polled every second: cheap if there are none. */
  channels(after: string, limit: number): Promise<string[]>;
  /** Oldest first. */
  ofChannel(channelId: string, limit: number): Promise<StrandedFacts[]>;
  drop(strandedIds: readonly string[]): Promise<void>;
  /** Adds `more` to `nodesGone`. */
  countGone(stranded: Pick<StrandedFacts, 'id' | 'channelId'>, more: number): Promise<void>;
  /** Hides the records from `channels` and `ofChannel` until `bringBack`. */
  postpone(stranded: readonly Pick<StrandedFacts, 'id' | 'channelId'>[], now: number): Promise<void>;
  /** Brings back records postponed before this. Returns their number. */
  bringBack(before: number): Promise<number>;
}

/** Messages of an account ordered by time, for lists; without their content. */
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
