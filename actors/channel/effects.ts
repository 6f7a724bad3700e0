/** What a turn asks of the world, as data. Effects of one turn are performed in list order. */
import type { BuiltEvent } from '../../src/domain/events/built.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { Content } from '../../src/domain/messages/message.ts';
import type { EffectResult, ChannelReplies } from './messages.ts';
import type { ChannelSettings, UnmatchedFact, Write } from './ports.ts';
import type { OpenSend } from './sends/state.ts';

/** A write as a turn says it: what is held is sealed on its way to the store. */
export type TurnWrite =
  Exclude<Write, { write: 'keepUnmatched' }> | { write: 'keepUnmatched'; unmatched: UnmatchedFact };

export type ChannelEffect =
  /**
   * Claims one upstream call durably, then makes it. `first`: the claim is the insert of the message. Feeds `claimed` and
   * `send-result`, or `claim-lost`, or `claim-failed`. [architecture §5: the insert is the claim]
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
   * Takes the id of a message whose insert may or may not be on record, so that it is never sent. Feeds `withdrawn`.
   * [faults: 23: 503 only after compensation]
   */
  | { effect: 'withdraw'; send: OpenSend; settings: ChannelSettings }
  /** Reads what the store holds of these sends, and what it holds besides those that are known. Feeds `reloaded`. */
  | { effect: 'reload'; messageIds: string[]; known: ReadonlySet<string> }
  /**
   * Records facts, trying until the store takes them, then answers `reply`, feeds `deliveries-added` and `after`. Events
   * become deliveries where they are enabled.
   */
  | {
      effect: 'record';
      writes: TurnWrite[];
      events: BuiltEvent[];
      settings: ChannelSettings | null;
      reply: Reply | null;
      after: EffectResult | null;
    }
  /**
   * Looks up the messages that facts are about. Feeds `facts-resolved`, or `facts-failed` unless `insist`: nobody would
   * redeliver these facts, so it tries until the store answers.
   */
  | {
      effect: 'resolve-facts';
      job: number;
      ids: string[];
      upstreamIds: string[];
      conversations: ConversationQuery[];
      insist: boolean;
    }
  /** As `record`, but one try: upstream redelivers what could not be written. Feeds `facts-committed` or `facts-failed`. */
  | {
      effect: 'commit-facts';
      job: number;
      writes: TurnWrite[];
      events: BuiltEvent[];
      settings: ChannelSettings;
      /** Facts that need another round: more messages than one chunk. */
      again: ChannelFact[];
      /** Nobody would redeliver them: try until the store takes them. */
      insist: boolean;
    }
  /** One webhook attempt; a retry is claimed first. Feeds `delivery-result`, `delivery-claim-lost` or `delivery-postponed`. */
  | {
      effect: 'post-webhook';
      deliveryId: string;
      attempts: number;
      payload: Uint8Array | null;
      settings: ChannelSettings;
    }
  /** Feeds `deliveries-loaded`. */
  | { effect: 'load-deliveries'; limit: number }
  /** Feeds `settings-loaded`. */
  | { effect: 'load-settings'; request: number; ask: number | null }
  /** One wide structured line per outcome; ids and counts only. */
  | { effect: 'log'; event: string; fields: Record<string, unknown> }
  | ({ effect: 'reply' } & Reply)
  | { effect: 'refuse'; asks: number[]; code: FaultCode; details: Record<string, unknown> };

export interface Reply {
  asks: number[];
  reply: ChannelReplies[keyof ChannelReplies];
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
