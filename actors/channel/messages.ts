/** What a turn of a channel hears, beside what others say (`asks.ts`), and what it asks of the world, as data. */
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { EndedCall } from '../../src/domain/messages/call-log.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { OutboundMessage } from '../../src/domain/messages/message.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
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
} from './ports/store.ts';
import type { AsideMessage, FileOutcome, WebhookResult, FileRequest } from './ports/outside.ts';
import type { Write } from './ports/writes.ts';
import type { ChannelEvent } from '../../src/domain/events/built.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { ChannelAsk, ChannelReplies, ChannelTell } from './asks.ts';

/** What the actor's own effects report back, and the runtime's two words. */
export type EffectResult =
  /** `request` counts the loads: an older answer never replaces a newer one. */
  | {
      type: 'settings-loaded';
      request: number;
      settings: ChannelSettings | null;
      ask: number | null;
      /** See `KeptState`. */
      keptBase?: number;
    }
  /**
   * A claim has ended. `claimed`: it is on record and the call on its way: from now on the message id is final. `unanswered`:
   * the store did not say; nothing was called, but the claim may be on record.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'claimed' | 'unanswered' }
  /**
   * `lost`: the claim did not apply, nothing was called. `withdrawn`: the id is taken for good and will never be sent. `found`:
   * who had it before; looked up for a first claim only.
   */
  | { type: 'claim-ended'; messageId: string; outcome: 'lost' | 'withdrawn'; found: KnownMessage | null }
  /** The outcomes mean the same as those of a claim. */
  | { type: 'postpone-ended'; messageId: string; outcome: 'postponed' | 'unanswered' }
  | { type: 'postpone-ended'; messageId: string; outcome: 'lost'; found: KnownMessage | null }
  | { type: 'send-result'; messageId: string; attempt: number; outcome: UpstreamOutcome }
  /** The outcome of the last call is durable. */
  | { type: 'send-recorded'; messageId: string }
  /** `messageIds` were asked for: what the store still holds `open`, and what an earlier owner has left there late. */
  | { type: 'reloaded'; messageIds: string[]; open: OutboundMessage[]; left: LeftBehind }
  | {
      type: 'facts-resolved';
      job: number;
      known: SubjectMessage[];
      conversations: KnownMessage[][];
      delivered: string[];
    }
  /** `again`: facts that need another round. */
  | { type: 'facts-ended'; job: number; outcome: 'committed'; again: ChannelFact[] }
  /** The facts could not be looked up or written. `mayBeStored`: the commit may be on record all the same. */
  | { type: 'facts-ended'; job: number; outcome: 'failed'; mayBeStored: boolean }
  | { type: 'file-ended'; inboundId: string; part: number; outcome: FileOutcome }
  /** The files of this message will not be fetched any more. */
  | { type: 'inbound-aside'; inboundId: string }
  /** It may be posted now, alone on its node. */
  | { type: 'turn-came'; deliveryId: string }
  /** It will not be posted any more. */
  | { type: 'delivery-aside'; deliveryId: string }
  /** The events of these messages are on record. */
  | { type: 'inbound-emitted'; inboundIds: string[] }
  | ({ type: 'inbound-loaded' } & InboundPage)
  /** `payload` null: it is not certain that they are new; claim them first. */
  | {
      type: 'deliveries-added';
      added: { delivery: PendingDelivery; payload: Uint8Array | null }[];
      heardAt: number | null;
    }
  | { type: 'post-ended'; deliveryId: string; outcome: 'answered'; startedAt: number; result: WebhookResult }
  /** No attempt was made. `lost`: the claim did not apply. `postponed`: the store could not be asked, or the lease may be over. */
  | { type: 'post-ended'; deliveryId: string; outcome: 'lost' | 'postponed' }
  /** The outcome is durable; `ended`: there are no more attempts; `kept`: bytes that stay all the same. */
  | { type: 'attempt-recorded'; deliveryId: string; ended: boolean; kept: number }
  /** `order` null: no replay is open. Nothing `kept`: this one is at its end. */
  | { type: 'replay-read'; order: ReplayOrder | null; kept: KeptDelivery[] }
  /** `isUncertain`: of some the store did not say whether they are pending again. */
  | { type: 'deliveries-revived'; revived: PendingDelivery[]; isUncertain: boolean; ask: number | null }
  | { type: 'deliveries-loaded'; deliveries: PendingDelivery[]; storeHasMoreDeliveries: boolean }
  | { type: 'alarm' }
  | { type: 'drain' };

export interface LeftBehind extends Omit<LoadedChannel, 'openMessages' | 'unmatched' | 'hasPendingInbound'> {
  unmatched: UnmatchedFact[];
  inbound: InboundPage;
  sends: OpenedMessage[];
}

export type ChannelMessage = ChannelAsk | ChannelTell | EffectResult;

/** A write as a turn says it: what waits is sealed on its way to the store. */
export type TurnWrite =
  | Exclude<Write, { write: 'keepWaiting' }>
  | { write: 'keepWaiting'; unmatched: UnmatchedFact | PendingInbound };

/** What effects need of a send. */
export interface SendFields {
  messageId: string;
  requestId: string | null;
  recipient: string;
  arrivedAt: number;
  attemptedAt: number;
  copies: number;
  tries: number;
  callBefore: Pick<EndedCall, 'n' | 'at'> | null;
  nextTryAt: number | null;
  refusal: { error: string } | null;
}

/** What a turn asks of the world, as data. Effects of one turn are performed in list order. */
export type ChannelEffect =
  /**
   * Claims one upstream call durably, then makes it. `first`: the claim is the insert of the message. Reports `claim-ended`,
   * and `send-result` when it was claimed. [architecture §5: the insert is the claim]
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
   * Takes the id of a message whose insert may or may not be on record, so that it is never sent. Reports `claim-ended`.
   * [faults: 23: 503 only after compensation]
   */
  | { effect: 'withdraw'; send: SendFields; settings: ChannelSettings }
  /** Puts a send on record as `queued`, without a call. Reports `postpone-ended`. [operator-interface §4] */
  | { effect: 'postpone'; send: SendFields; content: Content; settings: ChannelSettings }
  /** Reads what the store holds of these sends, and what it holds besides those that are known. Reports `reloaded`. */
  | { effect: 'reload'; messageIds: string[]; known: ReadonlySet<string> }
  | Commit
  /**
   * Looks up the messages that facts are about. Reports `facts-resolved`, or that they failed. `retry`: nobody would redeliver
   * these facts, so it tries until the store answers.
   */
  | {
      effect: 'resolve-facts';
      job: number;
      named: NamedMessage[];
      conversations: ConversationQuery[];
      deliveryIds: string[];
      retry: boolean;
    }
  /** Reports `inbound-loaded`. */
  | { effect: 'load-inbound'; after: number; limit: number }
  /**
   * One attempt to fetch a file of a pending message. Reports `file-ended`. `count`: what is on record before it begins; null: it
   * says so already. `isSuspect`: a fetch of this message did not end, so that it must be alone on its node.
   */
  | {
      effect: 'fetch-file';
      /** As it is when the fetch begins: one that had to wait is dropped unless the stage is `open`. */
      inbound: { readonly pending: PendingInbound; readonly stage: string };
      part: number;
      request: FileRequest;
      count: PendingInbound | null;
      isSuspect: boolean;
    }
  /** Puts a message aside for operators. Reports `inbound-aside`. */
  | { effect: 'put-aside'; message: AsideMessage }
  /** Waits until no other suspect of the node is being posted. Reports `turn-came`. */
  | { effect: 'await-turn'; deliveryId: string }
  /** Puts a delivery aside for operators. Reports `delivery-aside`. */
  | { effect: 'put-delivery-aside'; channel: Channel; delivery: PendingDelivery; tries: number }
  /**
   * One webhook attempt; a retry is claimed first. Reports `post-ended`. `lost`: so many owners did not say how it ended; then it
   * follows `turn-came`. `claims`: what is on record of it before it begins.
   */
  | {
      effect: 'post-webhook';
      deliveryId: string;
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
  | { effect: 'load-deliveries'; limit: number }
  /** What comes next of a replay, of the oldest one where none is named. Reports `replay-read`. */
  | { effect: 'read-replay'; order: ReplayOrder | null; after: KeptPlace; limit: number }
  /** Makes what was given up pending again, each by a claim of its own. Reports `deliveries-revived`. */
  | { effect: 'revive'; kept: KeptDelivery[]; at: number; ask: number | null }
  /** Reports `settings-loaded`. */
  | { effect: 'load-settings'; request: number; ask: number | null; keptRecorded: number }
  /** One wide structured line per outcome; ids and counts only. */
  | { effect: 'log'; event: string; fields: Record<string, unknown> }
  | ({ effect: 'reply' } & Reply)
  | { effect: 'refuse'; asks: number[]; code: FaultCode; details: Record<string, unknown> };

/** Writes and deliveries, on record together. */
export interface Commit {
  effect: 'commit';
  writes: TurnWrite[];
  /** What the live feed shows, and those of these events that are to be POSTed, in the same order. */
  events: ChannelEvent[];
  deliveries: ChannelEvent[];
  settings: ChannelSettings | null;
  /** When upstream told of the first of the events; null: it did not, or is not known to have. */
  heardAt: number | null;
  /**
   * Once it is on record: answered, then reported, before `deliveries-added`. With `otherwise: 'retry'` answered as soon as it is
   * certain, before it can be read.
   */
  reply: Reply | null;
  report: EffectResult | null;
  /** `retry`: until the store takes it. Else one try, and this is reported when it failed: upstream brings the facts again. */
  otherwise: 'retry' | EffectResult;
}

/** These writes come from nowhere a second time, so they are tried until the store takes them. */
export function commitUntilStored(
  writes: TurnWrite[],
  more: Partial<Pick<Commit, 'events' | 'deliveries' | 'settings' | 'heardAt' | 'reply' | 'report'>> = {},
): Commit {
  const { events = [], deliveries = [], settings = null, heardAt = null, reply = null, report = null } = more;
  return {
    effect: 'commit',
    writes,
    events,
    deliveries,
    settings,
    heardAt,
    reply,
    report,
    otherwise: 'retry',
  };
}

export interface Reply {
  asks: number[];
  reply: ChannelReplies[keyof ChannelReplies];
}
