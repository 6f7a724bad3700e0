/**
 * What the channel actor may ask of the world. Written in the service's words so that SQLite and MongoDB both fulfil it
 * directly; held to one conformance suite (`test/stores`). Every call is scoped to one channel.
 *
 * Errors: `FencedError` when a higher epoch is stored (fatal to the activation), `StoreUnavailable` when the store can't
 * be reached within its budget (nothing is known to have happened).
 */
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { Standing } from '../../src/domain/licences/subscription.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { EndedCall } from '../../src/domain/messages/call-log.ts';
import type { DeliveryStatus, OutboundMessage } from '../../src/domain/messages/message.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
import type { Envelope } from '../../src/domain/events/built.ts';
import type { Delivery } from '../../src/domain/webhooks/delivery.ts';
import type { FetchedMedia, FileType } from '../../src/domain/events/media-block.ts';
import type {
  Receipt,
  ConversationReceipt,
  Echo,
  InboundMessage,
  UpstreamFile,
} from '../../src/domain/messages/facts.ts';
import type { SealedBytes, SealedText } from '../../src/domain/accounts/sealed.ts';

/** Facts whose message is not known: an activation loads and remembers so many at most, the newest. [faults: 97] */
export const maxUnmatched = 5_000;

export interface ChannelStore {
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

/**
 * Told at most once, and before the answer, when the whole commit can't be lost any more: whoever loads the channel from then on
 * finds it applied, even if this process ends here, while other reads may see it only with the answer. A store that writes
 * everything at once says nothing before it answers.
 */
export type WhenCertain = (results: readonly WriteResult[]) => void;

export interface ChannelSettings {
  channel: Channel;
  subscription: Standing | null;
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
  | 'firstTriedAt'
  | 'nextDueAt'
  | 'attemptLog'
  | 'createdAt'
>;

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
export type ToldMessage = Pick<KnownMessage, 'id' | 'origin' | 'recipient' | 'statusAt' | 'upstreamIds'>;

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

/** An inbound message that waits for its files, or behind one that does: on record, answered 200, not told yet. */
export interface PendingInbound {
  id: string;
  fact: InboundMessage;
  expiresAt: number;
  /** When it came: work that somebody must be at. Later than that of every message of the channel before it. */
  dueAt: number;
}

/** Pending messages in their order, and echoes that waited beside them. `upTo`: the last `dueAt` that was read, also of what could not be opened. */
export interface InboundPage {
  pending: PendingInbound[];
  echoes: UnmatchedFact[];
  upTo: number;
  storeHasMore: boolean;
}

/** The same at rest: an echo carries what was written, so the store never sees it in clear. [faults: I10] */
export interface SealedUnmatchedFact {
  id: string;
  fact: SealedText;
  expiresAt: number;
  /** null: only what comes from upstream can end its waiting. */
  dueAt: number | null;
}

/** Intents are compare-and-set and may not apply; facts are monotonic and always do. [architecture §4] */
export type Write =
  /** Intent: the claim of a first copy. Applies only when no document has this id. */
  | { write: 'insertMessage'; message: OutboundMessage }
  /**
   * Intent: the claim of one more upstream call. Applies while the message is `sending` or `queued` and its `copies` and
   * `tries` are still `expect`; sets state `sending`, adds one to both, stores `attemptedAt` and the epoch, clears
   * `nextTryAt`. `before`: the call before this one, logged with its start unless its end is logged.
   */
  | {
      write: 'claimCopy';
      messageId: string;
      expect: { copies: number; tries: number };
      attemptedAt: number;
      before?: Pick<EndedCall, 'n' | 'at'>;
    }
  /**
   * Fact: upstream accepted. State `sent` from any state, rank at least `rank` with the times of its steps, `statusAt` at least
   * `at`, upstream id added, `call` logged; content erased.
   */
  | {
      write: 'recordAccepted';
      messageId: string;
      upstreamId: string | null;
      rank: number;
      at: number;
      call?: EndedCall;
    }
  /** Fact: definitely not sent. Back to `queued`, one copy less, due again at `nextTryAt`. No effect unless `sending`. */
  | {
      write: 'recordDeferred';
      messageId: string;
      nextTryAt: number;
      error: string;
      errorCode: number | null;
      call?: EndedCall;
    }
  /** Fact: unknown outcome. `sending` becomes `queued`. */
  | { write: 'recordUnknown'; messageId: string; call?: EndedCall }
  /** Terminal `failed`, since `at`, content erased; no effect once `sent`. */
  | {
      write: 'recordFailed';
      messageId: string;
      error: string;
      errorCode: number | null;
      at: number;
      call?: EndedCall;
    }
  /**
   * Fact: upstream reported this status of this message. Rank to at least that of `status` (or `deliveryFailed`), state
   * `sent` unless the message is an abandoned marker, `statusAt` at least `at`, the status's own time at most `at`, upstream id
   * added, content erased. It need not raise `statusAt` of a message that it changes in nothing else. `why`: of a `failed`.
   */
  | {
      write: 'recordStatus';
      messageId: string;
      status: DeliveryStatus;
      upstreamId: string | null;
      at: number;
      why?: Pick<OutboundMessage, 'error' | 'errorCode'>;
    }
  /** A message that went out beside us, tracked for its statuses; no effect when the id exists. */
  | { write: 'insertEcho'; message: OutboundMessage }
  /** Keeps the fact until it expires; replaces what was held under the same id. */
  | { write: 'keepUnmatched'; unmatched: SealedUnmatchedFact }
  | { write: 'dropUnmatched'; unmatchedIds: string[] }
  /** No effect when the id exists: the result says so. */
  | { write: 'insertDelivery'; delivery: Delivery }
  /** Intent: applies while pending with this many attempts; stores the epoch. */
  | { write: 'claimDelivery'; deliveryId: string; attempts: number }
  /** Outcome of an attempt. `delivered` and `failed` erase the payload in the same write. */
  | { write: 'recordAttempt'; deliveryId: string; attempt: DeliveryAttempt }
  /** Adds a line to a mail of the outbox, making the mail when its id is new. */
  | { write: 'addMail'; mail: MailLine };

interface WriteTag {
  /** Intents are compare-and-set under the fence and may not apply; facts are monotonic and always do. [architecture §4] */
  nature: 'intent' | 'fact';
  target: 'message' | 'delivery' | 'unmatched' | 'mail';
  /** `insert`: where no document has the id. `claim`: of what stands. `update`: may be repeated, and follow another. */
  form: 'insert' | 'claim' | 'update' | 'replace' | 'drop';
}

/** What each write is. Whoever needs to know asks here, never a write's name. */
export const writeTags = {
  insertMessage: { nature: 'intent', target: 'message', form: 'insert' },
  claimCopy: { nature: 'intent', target: 'message', form: 'claim' },
  recordAccepted: { nature: 'fact', target: 'message', form: 'update' },
  recordDeferred: { nature: 'fact', target: 'message', form: 'update' },
  recordUnknown: { nature: 'fact', target: 'message', form: 'update' },
  recordFailed: { nature: 'fact', target: 'message', form: 'update' },
  recordStatus: { nature: 'fact', target: 'message', form: 'update' },
  insertEcho: { nature: 'fact', target: 'message', form: 'insert' },
  keepUnmatched: { nature: 'fact', target: 'unmatched', form: 'replace' },
  dropUnmatched: { nature: 'fact', target: 'unmatched', form: 'drop' },
  insertDelivery: { nature: 'fact', target: 'delivery', form: 'insert' },
  claimDelivery: { nature: 'intent', target: 'delivery', form: 'claim' },
  recordAttempt: { nature: 'fact', target: 'delivery', form: 'update' },
  addMail: { nature: 'fact', target: 'mail', form: 'update' },
} as const satisfies Record<Write['write'], WriteTag>;

type Tags = typeof writeTags;
/** The writes whose tag says this. */
export type WriteThat<T extends Partial<WriteTag>> = Extract<
  Write,
  { write: { [W in keyof Tags]: Tags[W] extends T ? W : never }[keyof Tags] }
>;

export type Intent = WriteThat<{ nature: 'intent' }>;
export type Claim = WriteThat<{ form: 'claim' }>;

export function isIntent(write: Write): write is Intent {
  return writeTags[write.write].nature === 'intent';
}

export function isClaim(write: Write): write is Claim {
  return writeTags[write.write].form === 'claim';
}

export interface DeliveryAttempt {
  state: Delivery['state'];
  attempts: number;
  firstTriedAt: number;
  nextDueAt: number;
  lastResult: string;
  /** The whole of it: a write that is repeated changes nothing. */
  attemptLog: string | null;
}

/** `applied`: false when an insert found its id taken or a claim did not match. */
export interface WriteResult {
  applied: boolean;
}

/** Mails leave through an outbox keyed by account or channel, kind and time bucket. [architecture §6.8] */
export interface MailLine {
  id: string;
  accountId: string;
  kind: 'webhook-warning' | 'webhook-alert' | 'delivery-digest' | 'reconnect';
  subject: string;
  /** What the mail begins with; of who makes it. */
  opening: readonly string[];
  line: string;
  /** Not sent before this, so that a digest collects its interval. */
  sendAfter: number;
  createdAt: number;
}

export interface UpstreamCall {
  channel: Channel;
  messageId: string;
  recipient: string;
  content: Content;
  /** The call is given up (outcome `unknown`) after this many ms. */
  timeoutMs: number;
  /**
   * Asked right before the first byte leaves: a call that had to wait for a connection must not go out when another owns the
   * channel by then. [faults: 6, 7]
   */
  mayStart?: () => boolean;
  /** Of the request that asked for it; null: not known any more. */
  requestId?: string | null;
}

export interface Upstream {
  /** One send call. Never throws: whatever happens is an outcome. */
  send(call: UpstreamCall): Promise<UpstreamOutcome>;
}

/** A file of an inbound message that upstream holds for us. */
export interface FileRequest {
  channel: Channel;
  type: FileType;
  file: UpstreamFile;
  /** Of the POST that told of it. */
  requestId?: string;
}

/**
 * `error` is shown to the client: a sentence of ours, never what a host said. `mayPass`: another try may do. `busy`: there was no place
 * on this node, and nothing was tried.
 */
export type FileOutcome =
  | { outcome: 'fetched'; media: FetchedMedia }
  | { outcome: 'failed'; error: string; mayPass: boolean }
  | { outcome: 'busy' };

export interface FileFetcher {
  /** One attempt, bounded in size and time; what was fetched is stored when it resolves. Never rejects. [upstream §5] */
  fetch(request: FileRequest): Promise<FileOutcome>;
}

export interface WebhookPost {
  channelId: string;
  url: string;
  /** null: unsigned. [spec: Authentication 7] */
  secret: SealedText | null;
  deliveryId: string;
  /** null: nobody's. */
  requestId?: string | null;
  /** 1 for the first. */
  attempt: number;
  /** The receiver fails again and again: it waits for a place among its like. */
  isFailing: boolean;
  body: Uint8Array;
}

export type WebhookResult =
  | { ok: true; status: number }
  /**
   * `reason`: `status`, `timeout`, `refused address`, `connection`, …: never anything the receiver said. `busy`: there was no place
   * on this node, and nothing was tried.
   */
  | { ok: false; status: number | null; reason: string };

export interface WebhookPoster {
  /** One attempt, within the 5 s. Never throws. [spec: Delivery and retry] */
  post(post: WebhookPost): Promise<WebhookResult>;
}

export type { Sealer } from '../../src/domain/accounts/sealed.ts';

/** An event as the feed shows it. Whoever forwards it sends these very bytes under this id and signature. */
export interface LiveEvent {
  envelope: Envelope;
  /** The delivery's own: `X-Webhook-Id`. */
  deliveryId: string;
  /**
   * The value of `X-Webhook-Signature` for the envelope's JSON; null: unsigned. Asked only when somebody looks. The secret itself
   * never leaves the service.
   */
  sign: () => string | null;
}

/** The live event feed of an account. */
export interface LiveFeed {
  /** False: nobody looks at this account's events, on any node: not worth building one. */
  isWatched(accountId: string): boolean;
  /** Once for each delivery id, however often it is said. */
  publish(accountId: string, event: LiveEvent): void;
}
