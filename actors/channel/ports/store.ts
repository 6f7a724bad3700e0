/**
 * What the channel actor may ask of its store. Written in the service's words so that SQLite and MongoDB both fulfil it
 * directly; held to one conformance suite (`test/stores`). Every call is scoped to one channel.
 *
 * Errors: `FencedError` when a higher epoch is stored (fatal to the activation), `StoreUnavailable` when the store can't
 * be reached within its budget (nothing is known to have happened).
 */
import type { Channel } from '../../../src/domain/channels/channel.ts';
import type { Standing } from '../../../src/domain/licences/subscription.ts';
import type { Content } from '../../../src/domain/messages/content.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import type { Delivery } from '../../../src/domain/webhooks/delivery.ts';
import type {
  Receipt,
  ConversationReceipt,
  Echo,
  InboundMessage,
} from '../../../src/domain/messages/facts.ts';
import type { SealedBytes } from '../../../src/domain/accounts/sealed.ts';
import type { SealedUnmatchedFact, WhenCertain, Write, WriteResult } from './writes.ts';

/** Facts whose message is not known: an activation loads and remembers so many at most, the newest. [faults: 97] */
export const maxUnmatched = 5_000;

export interface ChannelJournal {
  /**
   * Resolves while no higher epoch than this has been minted for the channel. An owner that is not sure of its right asks after its claim
   * is on record: whoever takes over later finds the claim. Throws FencedError else. [architecture §4, Fence intents]
   */
  requireHighest(channelId: string, epoch: number): Promise<void>;
  /** Channel and its licence as they are now; null when the channel does not exist. */
  settings(channelId: string): Promise<ChannelSettings | null>;
  /**
   * What a new activation starts from, after raising `epoch` on the channel's non-terminal documents: every message in
   * `sending` or `queued`, the newest `maxUnmatched` of the unmatched facts that have not expired, the oldest first, and the first `limit` pending deliveries by `nextDueAt`.
   */
  load(channelId: string, epoch: number, now: number, limit: number): Promise<LoadedChannel>;
  /** Pending deliveries by `nextDueAt`, at most `limit`. */
  pendingDeliveries(channelId: string, limit: number): Promise<PendingDelivery[]>;
  /** What waits with a `dueAt` later than `after`, by it, at most `limit`. */
  pendingInbound(channelId: string, after: number, limit: number): Promise<SealedUnmatchedFact[]>;
  /** The sealed payload of a pending delivery; null when it is no longer pending. */
  deliveryPayload(channelId: string, deliveryId: string): Promise<SealedBytes | null>;
  /** What is kept of given-up deliveries, in the order of their making, the first `limit` behind `after`. */
  keptDeliveries(
    channelId: string,
    asked: KeptQuery & { after: KeptPlace; limit: number },
  ): Promise<KeptDelivery[]>;
  /** How many bytes of given-up deliveries the channel keeps. */
  keptBytes(channelId: string): Promise<number>;
  /** Which of these deliveries are on record, whatever became of them. */
  findDeliveries(channelId: string, deliveryIds: string[]): Promise<string[]>;
  /** Outbound messages of this channel by our ids or upstream ids. */
  findMessages(channelId: string, by: { ids: string[]; upstreamIds: string[] }): Promise<KnownMessage[]>;
  /**
   * Messages to `recipient` whose last call started at or before `upTo`, state `sent`, with a rank below `belowRank`,
   * oldest first, at most `limit`.
   */
  findBelowRank(channelId: string, query: BelowRank): Promise<KnownMessage[]>;
  /**
   * Applies the writes in order, durably (group-committed with other channels' writes), and answers one result per write.
   * A claim that does not apply does not stop the others: the caller looks at its result.
   */
  commit(
    channelId: string,
    epoch: number,
    writes: readonly Write[],
    whenCertain?: WhenCertain,
  ): Promise<WriteResult[]>;
}

export interface ChannelSettings {
  channel: Channel;
  subscription: Standing | null;
}

/** An unfinished message of the store and what it says; null: that can't be opened any more. */
export interface OpenedMessage {
  message: OutboundMessage;
  content: Content | null;
}

export interface LoadedChannel {
  openMessages: OutboundMessage[];
  /** Those without a `dueAt`. */
  unmatched: SealedUnmatchedFact[];
  /** There are some with one. */
  hasPendingInbound: boolean;
  deliveries: PendingDelivery[];
  /** More pending deliveries exist than were loaded. */
  storeHasMoreDeliveries: boolean;
}

export type PendingDelivery = Pick<
  Delivery,
  | 'id'
  | 'event'
  | 'messageId'
  | 'requestId'
  | 'attempts'
  | 'claims'
  | 'firstTriedAt'
  | 'nextDueAt'
  | 'attemptLog'
  | 'createdAt'
> & {
  /** Length of its sealed payload. */
  bytes: number;
};

/** Given up and kept since `keptSince`. */
export type KeptDelivery = PendingDelivery & { keptSince: number };

/** What was given up from `since` until `until` (ms, both included), of these events; null: of any. */
export interface KeptQuery {
  since: number;
  until: number;
  events: readonly string[] | null;
}

export type KeptPlace = Pick<Delivery, 'createdAt' | 'id'>;

/** What a client has asked to be posted again. */
export interface ReplayOrder extends KeptQuery {
  id: string;
}

export interface ReplayBook {
  /** The oldest of the channel that has not ended; null: there is none. */
  open(channelId: string): Promise<ReplayOrder | null>;
  end(id: string): Promise<void>;
}

export type KnownMessage = Pick<
  OutboundMessage,
  | 'id'
  | 'origin'
  | 'recipient'
  | 'state'
  | 'rank'
  | 'deliveryFailed'
  | 'attemptedAt'
  | 'statusAt'
  | 'upstreamIds'
>;

/** What a fact needs of the message it is about. */
export type SubjectMessage = Pick<KnownMessage, 'id' | 'origin' | 'recipient' | 'statusAt' | 'upstreamIds'>;

/** How a fact names its message: by our id, where upstream returns it, and by its own. */
export interface NamedMessage {
  id: string | null;
  upstreamId: string;
}

/** Messages to `recipient` with a rank below that of `status`, up to a time or a message. */
export interface ConversationQuery {
  recipient: string;
  belowRank: number;
  upTo: number | null;
  upToUpstreamId: string | null;
  /** The point in time when neither is known. */
  at: number;
}

export interface BelowRank {
  recipient: string;
  belowRank: number;
  upTo: number;
  limit: number;
}

/** A fact whose message is not known yet, kept until the send's answer or the echo arrives. [operator-interface §4] */
export interface UnmatchedFact {
  id: string;
  fact: Receipt | ConversationReceipt | Echo;
  expiresAt: number;
  /** Of an echo, which is to become an event, as of a pending message: when it came. */
  dueAt: number | null;
}

/** An inbound message that waits for its files, or behind one that does: on record, answered 200, not emitted yet. */
export interface PendingInbound {
  id: string;
  fact: InboundMessage;
  expiresAt: number;
  /** When it came: work that somebody must be at. Later than that of every message of the channel before it. */
  dueAt: number;
  /** Times that a fetch of its files was begun, as far as is on record, and did not end. */
  tries: number;
}

/** Pending messages in their order, and echoes that waited beside them. `upTo`: the last `dueAt` that was read, also of what could not be opened. */
export interface InboundPage {
  pending: PendingInbound[];
  echoes: UnmatchedFact[];
  upTo: number;
  storeHasMore: boolean;
}
