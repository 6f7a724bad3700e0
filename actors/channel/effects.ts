/** What a turn asks of the world, as data. Effects of one turn are performed in list order. */
import type { ChannelEvent } from '../../src/domain/events/built.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { EffectResult, ChannelReplies } from './messages.ts';
import type { ChannelSettings, FileRequest, PendingInbound, UnmatchedFact, Write } from './ports.ts';
import type { OpenSend } from './sends/state.ts';

/** A write as a turn says it: what waits is sealed on its way to the store. */
export type TurnWrite =
  | Exclude<Write, { write: 'keepUnmatched' }>
  | { write: 'keepUnmatched'; unmatched: UnmatchedFact | PendingInbound };

export type ChannelEffect =
  /**
   * Claims one upstream call durably, then makes it. `first`: the claim is the insert of the message. Reports `claim-ended`,
   * and `send-result` when it was claimed. [architecture §5: the insert is the claim]
   */
  | {
      effect: 'claim-and-call';
      send: OpenSend;
      content: Content;
      first: boolean;
      settings: ChannelSettings;
      timeoutMs: number;
    }
  /**
   * Takes the id of a message whose insert may or may not be on record, so that it is never sent. Reports `claim-ended`.
   * [faults: 23: 503 only after compensation]
   */
  | { effect: 'withdraw'; send: OpenSend; settings: ChannelSettings }
  /** Puts a send on record as `queued`, without a call. Reports `park-ended`. [operator-interface §4] */
  | { effect: 'park'; send: OpenSend; content: Content; settings: ChannelSettings }
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
  /** One attempt to fetch a file of a pending message. Reports `file-ended`. */
  | { effect: 'fetch-file'; inboundId: string; part: number; request: FileRequest }
  /** One webhook attempt; a retry is claimed first. Reports `post-ended`. */
  | {
      effect: 'post-webhook';
      deliveryId: string;
      requestId: string | null;
      attempts: number;
      payload: Uint8Array | null;
      settings: ChannelSettings;
      isFailing: boolean;
    }
  /** Reports `deliveries-loaded`. */
  | { effect: 'load-deliveries'; limit: number }
  /** Reports `settings-loaded`. */
  | { effect: 'load-settings'; request: number; ask: number | null }
  /** One wide structured line per outcome; ids and counts only. */
  | { effect: 'log'; event: string; fields: Record<string, unknown> }
  | ({ effect: 'reply' } & Reply)
  | { effect: 'refuse'; asks: number[]; code: FaultCode; details: Record<string, unknown> };

/** Writes, and deliveries of the events that are enabled, on record together. */
export interface Commit {
  effect: 'commit';
  writes: TurnWrite[];
  events: ChannelEvent[];
  settings: ChannelSettings | null;
  /**
   * Once it is on record: answered, then reported, before `deliveries-added`. With `otherwise: 'retry'` answered as soon as it is
   * certain, before it can be read.
   */
  reply: Reply | null;
  report: EffectResult | null;
  /** `retry`: until the store takes it. Else one try, and this is reported when it failed: upstream brings the facts again. */
  otherwise: 'retry' | EffectResult;
}

/** Nobody would bring these again: tried until the store takes them. */
export function commitUntilStored(
  writes: TurnWrite[],
  more: Partial<Pick<Commit, 'events' | 'settings' | 'reply' | 'report'>> = {},
): Commit {
  const { events = [], settings = null, reply = null, report = null } = more;
  return { effect: 'commit', writes, events, settings, reply, report, otherwise: 'retry' };
}

export interface Reply {
  asks: number[];
  reply: ChannelReplies[keyof ChannelReplies];
}

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
