/** The messages of a turn besides those of `asks.ts`, and the effects of a turn, as data. */
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import type { EndedCall, OutboundMessage } from '../../src/rules/messages/message.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import type {
  ChannelSettings,
  ConversationQuery,
  InboundPage,
  KeptDelivery,
  KeptPlace,
  UnmatchedFact,
  KnownMessage,
  NamedMessage,
  SubjectMessage,
  LoadedChannel,
  OpenedMessage,
  PendingDelivery,
  PendingInbound,
  ReplayOrder,
} from '../../src/storage/journal/channel-journal.ts';
import type {
  EchoAnswer,
  QuarantinedMessage,
  FileOutcome,
  WebhookResult,
  FileRequest,
} from '../../src/rules/outside.ts';
import type { Write } from '../../src/storage/journal/writes.ts';
import type { ChannelEvent } from '../../src/rules/events/built.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { ChannelAsk, ChannelReplies, ChannelTell } from './asks.ts';

/** What the actor's own effects report, and the runtime's two messages (`alarm`, `drain`). */
export type EffectResult =
  /** `request` numbers the loads, so that an older result never replaces a newer one. */
  | {
      type: 'settings-loaded';
      request: number;
      settings: ChannelSettings | null;
      ask: number | null;
      /** See `KeptState`. */
      keptBase?: number;
    }
  /**
   * A claim has ended. `claimed`: the claim is stored and the call has started; the message id is final. `unanswered`: the store did not
   * answer; no call was made, but the claim may be stored.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'claimed' | 'unanswered' }
  /**
   * `lost`: the claim did not apply; no call was made. `withdrawn`: the id is taken for good and the message will never be sent. `found`:
   * the message that had the id before; looked up for a first claim only.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'lost' | 'withdrawn'; found: KnownMessage | null }
  /** The outcomes mean the same as those of a claim. */
  | { type: 'postpone-ended'; messageId: string; outcome: 'postponed' | 'unanswered' }
  | { type: 'postpone-ended'; messageId: string; outcome: 'lost'; found: KnownMessage | null }
  | { type: 'send-result'; messageId: string; attempt: number; outcome: UpstreamOutcome }
  /** The outcome of the last call is durable. */
  | { type: 'send-recorded'; messageId: string }
  /**
   * The store was read again. `messageIds`: the sends that were asked for. `open`: every unfinished send the store holds. `left`: what an
   * earlier owner wrote late.
   */
  | { type: 'reloaded'; messageIds: string[]; open: OutboundMessage[]; left: StoredWork }
  | {
      type: 'facts-resolved';
      job: number;
      known: SubjectMessage[];
      conversations: KnownMessage[][];
      delivered: string[];
    }
  /** `again`: facts that need another round. */
  | { type: 'facts-ended'; job: number; outcome: 'committed'; again: ChannelFact[] }
  /** The facts could not be looked up or written. `mayBeStored`: the commit may be stored nevertheless. */
  | { type: 'facts-ended'; job: number; outcome: 'failed'; mayBeStored: boolean }
  /** Whether the number has echoes, according to upstream, asked because of these. */
  | { type: 'echoes-answered'; echoIds: string[]; answer: EchoAnswer }
  | { type: 'file-ended'; inboundId: string; part: number; outcome: FileOutcome }
  /** The message is quarantined: no more fetches of its files. */
  | { type: 'files-quarantined'; inboundId: string }
  /** The delivery may be posted now; no other suspect of the node is being posted. */
  | { type: 'turn-came'; deliveryId: string }
  /** The delivery is quarantined: no more POSTs of it. */
  | { type: 'delivery-quarantined'; deliveryId: string }
  /** The events of these messages are stored. */
  | { type: 'inbound-emitted'; inboundIds: string[] }
  | ({ type: 'inbound-loaded' } & InboundPage)
  /** `payload` is null when it is not certain that the delivery is new: it must be claimed first. */
  | {
      type: 'deliveries-added';
      added: { delivery: PendingDelivery; payload: Uint8Array | null }[];
      arrivedAt: number | null;
    }
  | { type: 'post-ended'; deliveryId: string; outcome: 'answered'; startedAt: number; result: WebhookResult }
  /** No attempt was made. `lost`: the claim did not apply. `postponed`: the store did not answer, or the grant may have ended. */
  | { type: 'post-ended'; deliveryId: string; outcome: 'lost' | 'postponed' }
  /** The outcome is durable. `ended`: no attempts follow. `kept`: bytes of the payload that stay stored although the delivery ended. */
  | { type: 'attempt-recorded'; deliveryId: string; ended: boolean; kept: number }
  /** `order` is null when no replay is open. An empty `kept` means that this replay is complete. */
  | { type: 'replay-read'; order: ReplayOrder | null; kept: KeptDelivery[] }
  /** `isUncertain`: for some deliveries the store did not answer whether they are pending again. */
  | { type: 'deliveries-revived'; revived: PendingDelivery[]; isUncertain: boolean; ask: number | null }
  | { type: 'deliveries-loaded'; deliveries: PendingDelivery[]; storeHasMoreDeliveries: boolean }
  | { type: 'alarm' }
  | { type: 'drain' };

export interface StoredWork extends Omit<LoadedChannel, 'openMessages' | 'unmatched' | 'hasPendingInbound'> {
  unmatched: UnmatchedFact[];
  inbound: InboundPage;
  sends: OpenedMessage[];
}

export type ChannelMessage = ChannelAsk | ChannelTell | EffectResult;

/** A write as a turn makes it: an unmatched fact or a message that waits is still in clear and is sealed on its way to the store. */
export type TurnWrite =
  | Exclude<Write, { write: 'keepWaiting' }>
  | { write: 'keepWaiting'; unmatched: UnmatchedFact | PendingInbound };

/** The fields of a send that effects need. */
export interface SendFields {
  messageId: string;
  requestId: string | null;
  recipient: string;
  arrivedAt: number;
  attemptedAt: number;
  copies: number;
  tries: number;
  callBefore: Pick<EndedCall, 'n' | 'at'> | null;
  copyAt: number | null;
  nextTryAt: number | null;
  refusal: { error: string } | null;
}

/** What a turn asks for, as data. Effects of one turn start in list order. */
export type ChannelEffect =
  /**
   * Claims one upstream call durably, then makes the call. `first`: the claim is the insert of the message. Reports `claim-ended`, and
   * `send-result` if the claim applied. [architecture §5: the insert is the claim]
   */
  | {
      effect: 'claim-and-call';
      send: SendFields;
      content: Content;
      first: boolean;
      settings: ChannelSettings;
      timeoutMs: number;
    }
  /**
   * Takes the id of a message whose insert may or may not be stored, so that the message is never sent. Reports `claim-ended`.
   * [faults: 23: 503 only after compensation]
   */
  | { effect: 'withdraw'; send: SendFields; settings: ChannelSettings }
  /** Stores a send as `queued`, without a call. Reports `postpone-ended`. [operator-interface §4] */
  | { effect: 'postpone'; send: SendFields; content: Content; settings: ChannelSettings }
  /** Reads these sends from the store, and everything open there that is not among `known`. Reports `reloaded`. */
  | { effect: 'reload'; messageIds: string[]; known: ReadonlySet<string> }
  | Commit
  /**
   * Looks up the messages that facts are about. Reports `facts-resolved`, or `facts-ended` as failed. `retry`: tries until the store
   * answers, because nobody would redeliver these facts.
   */
  | {
      effect: 'resolve-facts';
      job: number;
      named: NamedMessage[];
      conversations: ConversationQuery[];
      deliveries: OwnedDelivery[];
      retry: boolean;
    }
  /** Reports `inbound-loaded`. */
  | { effect: 'load-inbound'; after: number; limit: number }
  /**
   * One attempt to fetch a file of a pending message. Reports `file-ended`. `count`: the record to store before the fetch begins; null: the
   * stored record counts this fetch already. `isSuspect`: an earlier fetch of this message never ended, so no other suspect may be fetched
   * on this node at the same time.
   */
  | {
      effect: 'fetch-file';
      /** Live state, read when the fetch begins: a fetch that had to wait is dropped unless the stage is still `open`. */
      inbound: { readonly pending: PendingInbound; readonly stage: string };
      part: number;
      request: FileRequest;
      count: PendingInbound | null;
      isSuspect: boolean;
    }
  /** Asks upstream whether the channel has echoes. Reports `echoes-answered`. */
  | { effect: 'ask-for-echoes'; channel: Channel; echoIds: string[]; requestId: string | undefined }
  /** Quarantines a message for operators. Reports `files-quarantined`. */
  | { effect: 'quarantine-files'; message: QuarantinedMessage }
  /** Waits until no other suspect of the node is being posted. Reports `turn-came`. */
  | { effect: 'await-turn'; deliveryId: string }
  /** Quarantines a delivery for operators. Reports `delivery-quarantined`. */
  | { effect: 'quarantine-delivery'; channel: Channel; delivery: PendingDelivery; tries: number }
  /**
   * One webhook attempt; a retry is claimed first. Reports `post-ended`. `lost`: the number of earlier owners that began this attempt and
   * never reported its end; above 0, the effect follows `turn-came`. `claims`: the count that is stored before the attempt.
   */
  | {
      effect: 'post-webhook';
      deliveryId: string;
      event: string;
      requestId: string | null;
      attempts: number;
      lost: number;
      claims: number;
      /** See `OpenDelivery`. */
      since: number;
      payload: Uint8Array | null;
      settings: ChannelSettings;
      isFailing: boolean;
    }
  /** Reports `deliveries-loaded`. */
  | { effect: 'load-deliveries'; limit: number; inOrder: boolean }
  /** Reads the next deliveries of a replay; if `order` is null, of the oldest open one. Reports `replay-read`. */
  | { effect: 'read-replay'; order: ReplayOrder | null; after: KeptPlace; limit: number }
  /** Makes given-up deliveries pending again, with one claim each. Reports `deliveries-revived`. */
  | { effect: 'revive'; kept: KeptDelivery[]; at: number; ask: number | null }
  /** Reports `settings-loaded`. */
  | { effect: 'load-settings'; request: number; ask: number | null; keptRecorded: number }
  /** One structured log line per outcome; ids and counts only. */
  | { effect: 'log'; event: string; fields: Record<string, unknown> }
  | ({ effect: 'reply' } & Reply)
  | { effect: 'refuse'; asks: number[]; code: FaultCode; details: Record<string, unknown> };

/** A delivery of the channel, or of an endpoint of it. */
export interface OwnedDelivery {
  ownerId: string;
  id: string;
}

/** Writes and deliveries, stored in one commit. */
export interface Commit {
  effect: 'commit';
  writes: TurnWrite[];
  /** `events`: for the live feed. `deliveries`: those of them that are POSTed, in the same order. */
  events: ChannelEvent[];
  deliveries: ChannelEvent[];
  settings: ChannelSettings | null;
  /** When upstream reported the first of the events, in ms; null: unknown, or not caused by upstream. */
  arrivedAt: number | null;
  /**
   * Once the commit is stored, `reply` is sent, then `report`, then `deliveries-added`. With `otherwise: 'retry'` the reply is sent as soon
   * as the commit is certain (`WhenCertain`), before other reads can see it.
   */
  reply: Reply | null;
  report: EffectResult | null;
  /**
   * `retry`: repeated until the store takes the commit. Otherwise there is one try, and this is reported if it fails: upstream redelivers
   * the facts.
   */
  otherwise: 'retry' | EffectResult;
}

/** A commit that is retried until the store takes it, because nobody would bring these writes again. */
export function commitUntilStored(
  writes: TurnWrite[],
  more: Partial<Pick<Commit, 'events' | 'deliveries' | 'settings' | 'arrivedAt' | 'reply' | 'report'>> = {},
): Commit {
  const {
    events = [],
    deliveries = [],
    settings = null,
    arrivedAt = null,
    reply = null,
    report = null,
  } = more;
  return {
    effect: 'commit',
    writes,
    events,
    deliveries,
    settings,
    arrivedAt,
    reply,
    report,
    otherwise: 'retry',
  };
}

export interface Reply {
  asks: number[];
  reply: ChannelReplies[keyof ChannelReplies];
}
