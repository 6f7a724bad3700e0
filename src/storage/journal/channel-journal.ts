/**
 * The store as the channel actor needs it, in the service's words, so that SQLite and MongoDB each implement it directly; one conformance
 * suite tests both (`test/stores`). Every call concerns one channel.
 *
 * Errors: `FencedError` when a higher epoch is stored (the activation ends), `StoreUnavailable` when the store can't be reached within its
 * time budget (a write may or may not have been applied).
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Standing } from '../../rules/licences/subscription.ts';
import type { Content } from '../../rules/messages/content.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { EndpointNote } from '../../rules/webhooks/endpoints.ts';
import type { SealedHeaders } from '../../rules/webhooks/own-headers.ts';
import type { Receipt, ConversationReceipt, Echo, InboundMessage } from '../../rules/messages/facts.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';
import type { SealedUnmatchedFact, WhenCertain, Write, WriteResult } from './writes.ts';

/** Most facts without a known message that an activation loads and remembers; the newest ones. [faults: 97] */
export const maxUnmatched = 5_000;

/** Reads of the deliveries of a channel. */
export interface DeliveryReads {
  /** At most `limit` pending deliveries, ordered by `nextDueAt`; `inOrder`: by `sequence`, and those without one after them. */
  pendingDeliveries(channelId: string, limit: number, inOrder?: boolean): Promise<PendingDelivery[]>;
  /** The sealed payload of a pending delivery; null when the delivery is not pending. */
  deliveryPayload(channelId: string, deliveryId: string): Promise<SealedBytes | null>;
  /** The first `limit` kept deliveries behind `after`, ordered by creation. */
  keptDeliveries(
    channelId: string,
    asked: KeptQuery & { after: KeptPlace; limit: number },
  ): Promise<KeptDelivery[]>;
  /** Payload bytes of given-up deliveries that the channel keeps. */
  keptBytes(channelId: string): Promise<number>;
  /** Which of these deliveries exist, in whatever state. */
  findDeliveries(channelId: string, deliveryIds: string[]): Promise<string[]>;
}

export interface ChannelJournal extends DeliveryReads {
  /**
   * Resolves if no higher epoch has been minted for the channel; throws FencedError otherwise. An owner that is not sure of its lease calls
   * this after its claim is stored: a later owner finds the claim then. [architecture §4, Fence intents]
   */
  requireHighest(channelId: string, epoch: number): Promise<void>;
  /** The channel and its licence as stored now; null when the channel does not exist. */
  settings(channelId: string): Promise<ChannelSettings | null>;
  /**
   * Everything a new activation starts from. First raises `epoch` on the channel's non-terminal documents. Then reads every message in
   * `sending` or `queued`, the newest `maxUnmatched` unmatched facts that have not expired (oldest first), and the first `limit` pending
   * deliveries by `nextDueAt`.
   */
  load(channelId: string, epoch: number, now: number, limit: number): Promise<LoadedChannel>;
  /** At most `limit` unmatched facts and messages with a `dueAt` later than `after`, ordered by `dueAt`. */
  pendingInbound(channelId: string, after: number, limit: number): Promise<SealedUnmatchedFact[]>;
  /** Messages of this channel with one of these ids of ours or upstream ids. */
  findMessages(channelId: string, by: { ids: string[]; upstreamIds: string[] }): Promise<KnownMessage[]>;
  /**
   * At most `limit` messages to `recipient` in state `sent` whose last call started at or before `upTo` and whose rank is below
   * `belowRank`, oldest first. Only for kinds with `reportsConversations`: a store may find none of another.
   */
  findBelowRank(channelId: string, query: BelowRank): Promise<KnownMessage[]>;
  /**
   * Applies the writes in order, durably (group-committed with other channels' writes), and returns one result per write. A claim that does
   * not apply does not stop the other writes: the caller checks its result.
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
  /** Further endpoints that take events; absent: there is none. */
  endpoints?: readonly EndpointNote[];
  /** Owners of what was told to endpoints that take no events any more; absent: there is none. */
  loggedOwners?: readonly string[];
  /** Of an endpoint: the headers that its POSTs have beside ours. */
  headers?: SealedHeaders | null;
  /** The receiver is the account's default, whose changes no owner is told of; absent: it is the channel's own. */
  isDefaultReceiver?: true;
}

/** An unfinished message and its content; `content` is null when it can't be decrypted. */
export interface OpenedMessage {
  message: OutboundMessage;
  content: Content | null;
}

export interface LoadedChannel {
  openMessages: OutboundMessage[];
  /** Facts without a `dueAt`. */
  unmatched: SealedUnmatchedFact[];
  /** The store holds unmatched facts or messages with a `dueAt`. */
  hasPendingInbound: boolean;
  deliveries: PendingDelivery[];
  /** The store holds more pending deliveries than were loaded. */
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
> &
  /** Absent in what a client asks to be retried: it is in no order then. */
  Partial<Pick<Delivery, 'person' | 'sequence'>> & {
    /** Length of the sealed payload. */
    bytes: number;
  };

/** New deliveries of an endpoint, in order. */
export interface StoredCopies {
  added: readonly PendingDelivery[];
  /** Place of the last one before them that was told; null: not known, or the channel has no order. */
  follows: number | null;
  /** When upstream reported the event (ms), if known. */
  arrivedAt: number | null;
}

/** A delivery that was given up at `keptSince` and whose payload is kept. */
export type KeptDelivery = PendingDelivery & { keptSince: number };

/** Deliveries given up from `since` to `until` (ms, both included). `events`: null means of any event. */
export interface KeptQuery {
  since: number;
  until: number;
  events: readonly string[] | null;
}

export type KeptPlace = Pick<Delivery, 'createdAt' | 'id'>;

/** A replay that a client has asked for. */
export interface ReplayOrder extends KeptQuery {
  id: string;
}

export interface ReplayBook {
  /** The channel's oldest replay that has not ended, or null. */
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

/** The fields of a message that facts about the message need. */
export type SubjectMessage = Pick<KnownMessage, 'id' | 'origin' | 'recipient' | 'statusAt' | 'upstreamIds'>;

/** How a fact names its message: by our id, where upstream returns it, and by upstream's id. */
export interface NamedMessage {
  id: string | null;
  upstreamId: string;
}

/** Messages to `recipient` with a rank below `belowRank`, up to a time or up to a message. */
export interface ConversationQuery {
  recipient: string;
  belowRank: number;
  upTo: number | null;
  upToUpstreamId: string | null;
  /** The limit when neither a time nor a known message is given. */
  at: number;
}

export interface BelowRank {
  recipient: string;
  belowRank: number;
  upTo: number;
  limit: number;
}

/** A fact whose message is not known yet; kept until the send's answer or the echo arrives. [operator-interface §4] */
export interface UnmatchedFact {
  id: string;
  fact: Receipt | ConversationReceipt | Echo;
  expiresAt: number;
  /** Only of an echo, which is due to become an event like a pending message: its time of arrival. */
  dueAt: number | null;
}

/** An inbound message that waits for its files, or behind such a message: stored, answered with 200, events not written yet. */
export interface PendingInbound {
  id: string;
  fact: InboundMessage;
  expiresAt: number;
  /** Time of arrival: the message is due work from then on. Later than the `dueAt` of every earlier message of the channel. */
  dueAt: number;
  /** Fetches of its files that have begun and not ended, as far as stored. */
  tries: number;
}

/**
 * Pending messages in order, and waiting echoes between them. `upTo`: the last `dueAt` read, including records that could not be decrypted.
 */
export interface InboundPage {
  pending: PendingInbound[];
  echoes: UnmatchedFact[];
  upTo: number;
  storeHasMore: boolean;
}
