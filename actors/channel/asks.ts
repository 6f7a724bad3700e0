/** What others say to a channel, and what it answers. Plain data: it crosses the link between nodes. */
import type { ChannelEvent } from '../../src/domain/events/built.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { SendReply } from '../../src/domain/messages/send-reply.ts';
import type { PendingDelivery } from './ports/store.ts';

/** What others ask and wait for. */
export type ChannelAsk =
  | { type: 'send'; messageId: string; recipient: string; content: Content; requestId?: string }
  /** Answered when everything that follows from the facts is durable. [architecture §6.1] */
  | { type: 'take-facts'; facts: ChannelFact[] }
  /** Channel, licence or webhook settings were changed in the store; answered once they hold here. */
  | { type: 'reload' }
  | { type: 'inspect' }
  /**
   * One attempt now; as the store has it. `keptSince`: it was given up then and is kept, and gets all its attempts anew. Refused when
   * the event is no longer asked for.
   */
  | { type: 'retry-delivery'; delivery: Omit<PendingDelivery, 'bytes'>; keptSince?: number }
  /** An event that was put aside, as another delivery. */
  | { type: 'tell-again'; told: ChannelEvent };

export interface ChannelReplies {
  send: SendReply;
  'take-facts': FactsTaken;
  reload: { status: 'reloaded' };
  inspect: ChannelInsight;
  'retry-delivery': { status: 'retrying' };
  'tell-again': { status: 'retrying' };
}

interface FactsTaken {
  taken: number;
  /** Inactive channel or licence: not received, counted. */
  dropped: number;
}

/** For operators. */
export interface ChannelInsight {
  epoch: number;
  sendsOpen: number;
  sendsWaiting: number;
  deliveriesPending: number;
  factsHeld: number;
  /** Files of messages that are remembered: waiting, or on their way. */
  filesOpen: number;
}

/** What others say without waiting. */
export type ChannelTell =
  /** As `reload`, for a sender that does not wait for the answer. */
  | { type: 'settings-changed' }
  /** A sweep found due work in the store: activation alone looks at it. `untaken`: there are sends that no owner has loaded. */
  | { type: 'wake'; untaken?: boolean }
  /** The store holds a replay that has not ended. */
  | { type: 'replay' };
