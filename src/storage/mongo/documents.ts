/**
 * Types of documents, against which handwritten filters and updates are checked. The entity defines the conversion of items (`items.ts`).
 */
import type { PendingDelivery } from '../journal/channel-journal.ts';
import type { Write } from '../journal/writes.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Settings } from '../../rules/channels/settings.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { channelFields, channels } from '../entities/channels.ts';
import { deliveries } from '../entities/deliveries.ts';
import { unmatchedFacts } from '../entities/facts.ts';
import { mails } from '../entities/mails.ts';
import { messages } from '../entities/messages.ts';
import { subscriptions } from '../entities/subscriptions.ts';
import { knownFields, pendingFields } from '../entities/views.ts';
import { Items } from './items.ts';
import type { Reservation } from '../../rules/channels/reservation.ts';

/** T as a document: without its id, and with nulls left out. */
type Stored<T> = { _id: string } & {
  [K in keyof Omit<T, 'id'> as null extends T[K] ? never : K]: T[K];
} & { [K in keyof Omit<T, 'id'> as null extends T[K] ? K : never]?: NonNullable<T[K]> };

export type SubscriptionDocument = Stored<Subscription>;

/** What a reservation adds to a channel's document. */
export type ReservedPart = Pick<
  Reservation,
  'codeHash' | 'codeExpiresAt' | 'apiKeyId' | 'identity' | 'subscriptionId' | 'grant'
>;

/**
 * A channel and, until its code is exchanged, its reservation. `claims` and `slots` contain what the channel holds and has reserved, each
 * under one unique index, so that the index rejects the second taker of either kind. A setting is absent from documents older than it.
 */
export type ChannelDocument = Omit<Stored<Channel>, keyof Settings> &
  Partial<Pick<Stored<Channel>, keyof Settings>> & {
    reservation?: ReservedPart | Pick<ReservedPart, 'codeExpiresAt'>;
    claims?: string[];
    slots?: string[];
    /** Rises with every change of reservation, claims or slots, which makes those changes compare-and-set. */
    version: number;
    /** Mark of the last write. */
    lastWrite?: string;
    /** Token of the call that exchanged the last code. */
    exchange?: string;
  };

/** The reservation on a channel. One that an older version left incomplete has no code and does not count. */
export function toReservedPart({ reservation }: ChannelDocument): ReservedPart | undefined {
  return reservation !== undefined && 'grant' in reservation ? reservation : undefined;
}

/** `dueAt` is present while the message is open; `upstreamIds` once there is one. `arrival`: order within the first epoch. */
export type MessageDocument = Omit<Stored<OutboundMessage>, 'upstreamIds' | 'content'> & {
  upstreamIds?: string[];
  content?: { buffer: Uint8Array } | Uint8Array;
  dueAt?: number;
  firstEpoch: number;
  arrival: number;
  token: string;
};

/** An update of a message that may be repeated at any time. */
export type PendingUpdate = Extract<Write, { messageId: string }>;

/**
 * `dueAt` is `nextDueAt` while the delivery is pending, absent afterwards. `createdAt` is a Date; the index by age contains finished
 * deliveries only. `owes`: facts of its commit that may not be on their messages yet; the next owner that loads the channel applies them.
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
  channels: new Items(channels),
  subscriptions: new Items(subscriptions),
  messages: new Items(messages),
  deliveries: new Items(deliveries),
  unmatchedFacts: new Items(unmatchedFacts),
  mails: new Items(mails),
};

export const toSubscription = items.subscriptions.toItem;
export const toChannel = items.channels.pick(...channelFields).of;
export const toMessage = items.messages.toItem;
export const knownMessage = items.messages.pick(...knownFields);
const tried = items.deliveries.pick(...pendingFields);
/** Reads only the length of the payload. */
export const pendingProjection = { ...tried.projection, bytes: { $binarySize: '$payload' } } as const;

export function toPendingDelivery(document: DeliveryDocument & { bytes?: number | null }): PendingDelivery {
  return { ...tried.of(document), bytes: document.bytes ?? 0 };
}

export const toUnmatchedFact = items.unmatchedFacts.pick('id', 'fact', 'expiresAt', 'dueAt', 'tries').of;
