/**
 * Documents as the compiler sees them: what is asked and set by hand is checked against these types. How an item becomes a document
 * and comes back is its entity's to say (`items.ts`).
 */
import type { PendingDelivery } from '../../../../actors/channel/ports/store.ts';
import type { Write } from '../../../../actors/channel/ports/writes.ts';
import type { SealedText } from '../../../domain/accounts/sealed.ts';
import type { Channel } from '../../../domain/channels/channel.ts';
import type { Subscription } from '../../../domain/licences/subscription.ts';
import type { OutboundMessage } from '../../../domain/messages/message.ts';
import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import { entities } from '../entities/index.ts';
import { channelFields, knownFields, pendingFields } from '../entities/views.ts';
import { Items } from './items.ts';
import type { Reservation } from '../../../use-cases/ports/reservations.ts';

/** T without its id and with every null left out. */
type Stored<T> = { _id: string } & {
  [K in keyof Omit<T, 'id'> as null extends T[K] ? never : K]: T[K];
} & { [K in keyof Omit<T, 'id'> as null extends T[K] ? K : never]?: NonNullable<T[K]> };

export type SubscriptionDocument = Stored<Subscription>;

/** What a reservation puts on a channel's document. */
export type ReservedPart = Pick<
  Reservation,
  'codeHash' | 'codeExpiresAt' | 'apiKeyId' | 'identity' | 'subscriptionId' | 'grant'
>;

/**
 * A channel and, until its code is exchanged, the reservation on it. `claims` and `slots` hold what the channel has and what
 * it has reserved, each under one unique index: whoever comes second, with either, is refused by the index.
 */
export type ChannelDocument = Omit<Stored<Channel>, 'failedRetentionDays' | 'keepAnswers'> & {
  failedRetentionDays?: number;
  keepAnswers?: boolean;
  reservation?: ReservedPart | Pick<ReservedPart, 'codeExpiresAt'>;
  claims?: string[];
  slots?: string[];
  /** Goes up with every change of reservation, claim or slot: their compare-and-set. */
  version: number;
  /** Token of the call that exchanged the last code. */
  exchange?: string;
};

/** The reservation on a channel; what an earlier version left half made has no code and does not count. */
export function toReservedPart({ reservation }: ChannelDocument): ReservedPart | undefined {
  return reservation !== undefined && 'grant' in reservation ? reservation : undefined;
}

/** `dueAt` while it is open, only then; `upstreamIds` once there is one. `arrival`: order within the first epoch. */
export type MessageDocument = Omit<Stored<OutboundMessage>, 'upstreamIds' | 'content'> & {
  upstreamIds?: string[];
  content?: { buffer: Uint8Array } | Uint8Array;
  dueAt?: number;
  firstEpoch: number;
  arrival: number;
  token: string;
};

/** A write that updates a message, whenever it is said. */
export type PendingUpdate = Extract<Write, { messageId: string }>;

/**
 * `dueAt` is `nextDueAt` while it is pending, absent after. `createdAt` is the TTL index's, of finished ones only. `owes`: facts
 * of its commit that may not be on their messages yet; the next owner that loads the channel puts them there.
 */
export type DeliveryDocument = Omit<Stored<Delivery>, 'nextDueAt' | 'createdAt' | 'payload' | 'claims'> & {
  claims?: number;
  payload?: { buffer: Uint8Array } | Uint8Array;
  dueAt?: number;
  isFinished?: true;
  owes?: PendingUpdate[];
  createdAt: Date;
  token: string;
};

export interface UnmatchedDocument {
  _id: string;
  channelId: string;
  factId: string;
  fact: SealedText;
  expiresAt: Date;
  dueAt?: number;
  tries?: number;
}

export const items = {
  channels: new Items(entities.channels),
  subscriptions: new Items(entities.subscriptions),
  messages: new Items(entities.messages),
  deliveries: new Items(entities.deliveries),
  unmatchedFacts: new Items(entities.unmatchedFacts),
  mails: new Items(entities.mails),
};

export const toSubscription = items.subscriptions.toItem;
export const toChannel = items.channels.pick(...channelFields).of;
export const toMessage = items.messages.toItem;
export const knownMessage = items.messages.pick(...knownFields);
const tried = items.deliveries.pick(...pendingFields);
/** Of a payload only its length. */
export const pendingProjection = { ...tried.projection, bytes: { $binarySize: '$payload' } } as const;

export function toPendingDelivery(document: DeliveryDocument & { bytes?: number | null }): PendingDelivery {
  return { ...tried.of(document), bytes: document.bytes ?? 0 };
}

export const toUnmatchedFact = items.unmatchedFacts.pick('id', 'fact', 'expiresAt', 'dueAt', 'tries').of;
