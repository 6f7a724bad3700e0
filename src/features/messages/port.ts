/**
 * Sends and upstream's facts: records that must be durable before anything else happens, the router to a channel's owner, and the
 * quarantine of what could not be handled. Lists of messages.
 */
import type { SealedBytes, SealedText } from '../../kernel/sealed.ts';
import type { ParsedPost, UnparsedItem } from '../../rules/messages/facts.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import type { ChannelAsk, ChannelReplies, ChannelTell } from '../../../actors/channel/asks.ts';
import type { Delivered, Sent } from './listed.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { MessageRecord } from './timeline-rules.ts';
import type { Page, PagePosition, PageRequest } from '../../kernel/paging.ts';

/** First answer of a send that carried an `Idempotency-Key`. [operator-interface §4] */
export interface IdempotencyRecord {
  accountId: string;
  key: string;
  bodyHash: string;
  messageId: string;
  /** null: the first call is still running. */
  answer: unknown;
  createdAt: number;
}

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

/** Facts of upstream that were acknowledged with 200 while the channel's owner was out of reach. [architecture §6.1, §7] */
export interface StrandedFacts {
  /** Derived from the facts: adding the same ones again changes nothing. */
  id: string;
  channelId: string;
  /** JSON of `ChannelFact[]`, under `sealContext.strandedFacts`. */
  facts: SealedBytes;
  /** Time of arrival (ms); the channel's owner gets its facts in this order. */
  at: number;
  /** Number of nodes that died while they handled these facts. [faults: 152] */
  nodesGone: number;
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

/**
 * Items of upstream that no parser could turn into a fact, one entry per shape and place; and messages whose files
 * crashed the nodes that fetched them (`ended_node`).
 */
export interface QuarantinedItem extends Omit<UnparsedItem, 'reason'> {
  reason: UnparsedItem['reason'] | 'ended_node';
  /** JSON of the retryable item, under `sealContext.quarantined`; null: only its shape is kept. */
  sealed: SealedText | null;
  /** Derived from the item: a repeated item adds to the same entry. */
  id: string;
  /** null: unknown, or no channel has that identity. */
  channelId: string | null;
  accountId: string | null;
  /** Time of the first such item. */
  createdAt: number;
  lastSeenAt: number;
}

export interface QuarantineStore {
  /** Adds each item's `times` to the stored entry of its id, whose other fields are kept. */
  add(items: readonly QuarantinedItem[]): Promise<void>;
  /** Latest first seen first. */
  list(page: PageRequest): Promise<Page<QuarantinedItem>>;
  find(id: string): Promise<QuarantinedItem | null>;
  /** False if there is no such entry. */
  drop(id: string): Promise<boolean>;
  /** Keeps about `max` entries, the last seen ones, and none last seen before `before`. Returns the number of dropped entries. */
  trim(max: number, before: number, stopping?: AbortSignal): Promise<number>;
}

/** Stored state of a send whose owner disappeared before it answered. */
export type SettledSend = Pick<OutboundMessage, 'state' | 'error' | 'errorCode'>;

export interface SendStore {
  /**
   * Inserts the message, under an epoch below every owner's, unless the channel's owner has inserted the id: the first insert wins.
   * Returns the stored state, durably. A marker (state `abandoned`) means that nothing was sent under this id and never will be; a
   * `queued` message is sent by the channel's next owner, after the messages that owners recorded before. Idempotent.
   * [architecture §5]
   */
  insertUnlessTaken(message: OutboundMessage): Promise<SettledSend>;
}

/** Routes to a channel's owner on any node. Throws Fault `overloaded` or `unavailable`: then nothing was done. */
export interface ChannelRouter {
  ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]>;
  tell(channelId: string, message: ChannelTell): void;
}

/** Parses a POST of upstream whose signature was verified, and yields to the event loop meanwhile. Throws
 * Fault `bad_request` if the body is not upstream's JSON. */
export interface UpstreamParser {
  parse(body: Uint8Array): Promise<ParsedPost>;
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
