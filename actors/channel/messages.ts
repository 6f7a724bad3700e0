/** Everything one can say to a channel, and what it answers. Plain data: it crosses the link between nodes. */
import type { Content, DeliveryStatus, SendState } from '../../src/domain/messages/message.ts';
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
import type { ChannelSettings, HeldFact, KnownMessage, PendingDelivery, WebhookResult } from './ports.ts';

/** What others ask and wait for. */
export type ChannelAsk =
  | { type: 'send'; messageId: string; recipient: string; content: Content }
  /** Answered when everything that follows from the facts is durable. [architecture §6.1] */
  | { type: 'take-facts'; facts: ChannelFact[] }
  | { type: 'inspect' };

export interface ChannelReplies {
  send: SendReply;
  'take-facts': FactsTaken;
  inspect: ChannelInsight;
}

/** [spec: Message send state] */
export type SendReply =
  | { status: 'sent' }
  | { status: 'queued' }
  | { status: 'failed'; error: string; errorCode: number | null };

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
  /** Channel, licence or webhook settings were changed in the store. */
  { type: 'settings-changed' };

/** What the actor's own effects report back. */
export type ChannelNews =
  | { type: 'settings-loaded'; settings: ChannelSettings | null }
  | { type: 'send-result'; messageId: string; attempt: number; outcome: UpstreamOutcome }
  /** A claim of this message or delivery did not apply: somebody else has decided about it. */
  | { type: 'claim-lost'; messageId: string }
  | { type: 'delivery-claim-lost'; deliveryId: string }
  | { type: 'messages-found'; job: number; known: KnownMessage[] }
  | { type: 'facts-committed'; job: number }
  | { type: 'facts-failed'; job: number; error: Error }
  | { type: 'deliveries-added'; deliveries: PendingDelivery[]; payloads: Uint8Array[] }
  | { type: 'delivery-result'; deliveryId: string; result: WebhookResult }
  | { type: 'deliveries-loaded'; deliveries: PendingDelivery[]; more: boolean }
  | { type: 'write-failed'; error: Error; messageId: string | null; deliveryId: string | null }
  | { type: 'held-found'; held: HeldFact[] }
  | { type: 'alarm' };

export type ChannelMessage = ChannelAsk | ChannelTell | ChannelNews;

export type { DeliveryStatus, SendState };
