/** Everything one can say to a channel, and what it answers. Asks and tells are plain data: they cross the link between nodes. */
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { Content } from '../../src/domain/messages/message.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
import type { ChannelSettings, KnownMessage, PendingDelivery, WebhookResult } from './ports.ts';

/** What others ask and wait for. */
export type ChannelAsk =
  | { type: 'send'; messageId: string; recipient: string; content: Content }
  /** Answered when everything that follows from the facts is durable. [architecture §6.1] */
  | { type: 'take-facts'; facts: ChannelFact[] }
  /** Channel, licence or webhook settings were changed in the store; answered once they hold here. */
  | { type: 'reload' }
  | { type: 'inspect' };

export interface ChannelReplies {
  send: SendReply;
  'take-facts': FactsTaken;
  reload: { status: 'reloaded' };
  inspect: ChannelInsight;
}

/** [spec: Message send state] */
export type SendReply =
  { status: 'sent' } | { status: 'queued' } | { status: 'failed'; error: string; errorCode: number | null };

export interface FactsTaken {
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
}

/** What others say without waiting. */
export type ChannelTell =
  /** As `reload`, for who need not wait. */
  | { type: 'settings-changed' }
  /** The sweeper found due work in the store: activation alone looks at it. */
  | { type: 'wake' };

/** What the actor's own effects report back, and the runtime's two words. */
export type ChannelNews =
  | { type: 'settings-loaded'; settings: ChannelSettings | null; ask: number | null }
  | { type: 'send-result'; messageId: string; attempt: number; outcome: UpstreamOutcome }
  /** The claim did not apply: somebody else has decided about this message. */
  | { type: 'claim-lost'; messageId: string }
  /** The store could not be asked: nothing was called. */
  | { type: 'claim-failed'; messageId: string }
  | { type: 'facts-resolved'; job: number; known: KnownMessage[]; conversations: KnownMessage[][] }
  | { type: 'facts-committed'; job: number; again: ChannelFact[] }
  | { type: 'facts-failed'; job: number }
  | { type: 'deliveries-added'; added: { delivery: PendingDelivery; payload: Uint8Array }[] }
  | { type: 'delivery-result'; deliveryId: string; startedAt: number; result: WebhookResult }
  | { type: 'delivery-claim-lost'; deliveryId: string }
  /** The store could not be asked: no attempt was made. */
  | { type: 'delivery-postponed'; deliveryId: string }
  | { type: 'deliveries-loaded'; deliveries: PendingDelivery[]; more: boolean }
  | { type: 'alarm' }
  | { type: 'drain' };

export type ChannelMessage = ChannelAsk | ChannelTell | ChannelNews;
