/** Sends and upstream's facts: what must be on record before anything is done, and the way to a channel's owner. */
import type { SealedBytes } from '../../domain/accounts/sealed.ts';
import type { ParsedPost } from '../../domain/messages/facts.ts';
import type { OutboundMessage } from '../../domain/messages/message.ts';
import type { ChannelAsk, ChannelReplies, ChannelTell } from '../../../actors/channel/asks.ts';

/** First answer of a send that carried an `Idempotency-Key`. [operator-interface §4] */
export interface IdempotencyRecord {
  accountId: string;
  key: string;
  bodyHash: string;
  messageId: string;
  /** null: the first call has not answered yet. */
  answer: unknown;
  createdAt: number;
}

type RecordId = Pick<IdempotencyRecord, 'accountId' | 'key' | 'messageId'>;

export interface IdempotencyStore {
  /** Inserts unless the account has used the key since `notBefore`; answers the record that stands. */
  begin(record: IdempotencyRecord, notBefore: number): Promise<IdempotencyRecord>;
  /** Only on the record of this message id, and only when it has no answer yet: the first answer stands. */
  answered(record: RecordId, answer: unknown): Promise<void>;
  /** After a refusal: nothing was sent, the key may be used again. A record of another message id stays. */
  forget(record: RecordId): Promise<void>;
  dropOlder(than: number): Promise<number>;
}

/** Facts of upstream, answered 200, that the channel's owner could not be given. [architecture §6.1, §7] */
export interface StrandedFacts {
  /** Made from the facts: the same ones added again change nothing. */
  id: string;
  channelId: string;
  /** JSON of `ChannelFact[]`, under `sealContext.strandedFacts`. */
  facts: SealedBytes;
  /** When they came, ms: a channel's are given to its owner in this order. */
  at: number;
  /** Nodes that were gone when they had these facts in hand. [faults: 152] */
  nodesGone: number;
}

export interface StrandedFactsStore {
  /** All of them durably, or it rejects; one whose id exists is left as it is. */
  add(stranded: readonly StrandedFacts[]): Promise<void>;
  /** Channels that have some, by id, the first `limit` after `after`. Looked at every second: cheap when there are none. */
  channels(after: string, limit: number): Promise<string[]>;
  /** The oldest first. */
  ofChannel(channelId: string, limit: number): Promise<StrandedFacts[]>;
  drop(strandedIds: readonly string[]): Promise<void>;
  /** That many more nodes are gone. */
  countGone(stranded: Pick<StrandedFacts, 'id' | 'channelId'>, more: number): Promise<void>;
  /** Kept, and not among the others until they are brought back. */
  putAside(stranded: readonly Pick<StrandedFacts, 'id' | 'channelId'>[], now: number): Promise<void>;
  /** Those put aside before this are among the others again. Answers how many. */
  bringBack(before: number): Promise<number>;
}

/** What stands for a message id whose owner vanished with the send in its hands. */
export type SettledSend = Pick<OutboundMessage, 'state' | 'error' | 'errorCode'>;

export interface SendStore {
  /**
   * Takes the id with this message, under an epoch below every owner's, unless the channel's owner has: the first insert wins. Answers
   * what stands then, durably. A marker (state `abandoned`) means that nothing was sent under this id and never will be; one that is
   * `queued` is taken up by the channel's next owner, after what owners have put on record before. Repeating it changes nothing.
   * [architecture §5]
   */
  insertUnlessTaken(message: OutboundMessage): Promise<SettledSend>;
}

/** The way to a channel's owner, wherever it runs. Throws Fault `overloaded` or `unavailable`: then nothing was done. */
export interface ChannelRouter {
  ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]>;
  tell(channelId: string, message: ChannelTell): void;
}

/** Understands a POST of upstream whose signature was checked. Lets the event loop turn meanwhile. Throws
 * Fault `bad_request` when it is no JSON of theirs. */
export interface UpstreamParser {
  parse(body: Uint8Array): Promise<ParsedPost>;
}
