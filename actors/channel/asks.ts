/**
 * The messages that other parts of the service send to a channel, and the channel's replies. Plain data: they cross the link between nodes.
 */
import type { ChannelEvent } from '../../src/rules/events/built.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import type { SendReply } from '../../src/rules/messages/send-reply.ts';
import type { PendingDelivery, StoredCopies } from '../../src/storage/journal/channel-journal.ts';

/** Requests whose sender waits for a reply. */
export type ChannelAsk =
  | { type: 'send'; messageId: string; recipient: string; content: Content; requestId?: string }
  /** The reply follows when everything that results from the facts is durable. [architecture §6.1] */
  | { type: 'take-facts'; facts: ChannelFact[] }
  /** Channel, licence or webhook settings have changed in the store. The reply follows when this owner uses the new settings. */
  | { type: 'reload' }
  | { type: 'inspect' }
  /**
   * Makes one attempt now. `delivery`: as the store has it. `keptSince`: set when the delivery was given up at that time and its payload is
   * kept; it then gets all its attempts again. Refused when the channel no longer asks for the event.
   */
  | { type: 'retry-delivery'; delivery: Omit<PendingDelivery, 'bytes'>; keptSince?: number }
  /** Emits an event as a delivery: one that was quarantined, or a change that upstream made. An event that was emitted before is the same delivery. */
  | { type: 'emit'; told: ChannelEvent };

export interface ChannelReplies {
  send: SendReply;
  'take-facts': FactsTaken;
  reload: { status: 'reloaded' };
  inspect: ChannelInsight;
  'retry-delivery': { status: 'retrying' };
  emit: { status: 'emitted' };
}

interface FactsTaken {
  taken: number;
  /** Facts that were not taken because the channel or its licence is inactive. */
  dropped: number;
}

/** For operators. */
export interface ChannelInsight {
  epoch: number;
  sendsOpen: number;
  sendsWaiting: number;
  deliveriesPending: number;
  factsHeld: number;
  /** Files of remembered messages that wait or are being fetched. */
  filesOpen: number;
}

/** Messages whose sender does not wait for a reply. */
export type ChannelTell =
  /** As `reload`, without a reply. */
  | { type: 'settings-changed' }
  /**
   * A sweep found due work of the channel in the store; to activate the channel is enough to start it. `untaken`: the store holds sends
   * that no owner has loaded. `stored`: of an endpoint, what its channel's owner has stored for it.
   */
  | { type: 'wake'; untaken?: boolean; stored?: StoredCopies }
  /** The store holds a replay that has not ended. */
  | { type: 'replay' };

/** Routes to a channel's owner on any node. Throws Fault `overloaded` or `unavailable`: then nothing was done. */
export interface ChannelRouter {
  ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]>;
  tell(channelId: string, message: ChannelTell): void;
}
