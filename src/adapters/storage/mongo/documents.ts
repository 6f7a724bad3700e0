/**
 * Documents as they are stored, and the domain's objects they stand for. What is null there is absent here, so that partial
 * indexes hold only what they need. Times are ms, except where a TTL index needs a Date.
 */
import type { KnownMessage, PendingDelivery } from '../../../../actors/channel/ports/store.ts';
import type { SealedUnmatchedFact, Write } from '../../../../actors/channel/ports/writes.ts';
import type { SealedText } from '../../../domain/accounts/sealed.ts';
import type { Channel } from '../../../domain/channels/channel.ts';
import type { Subscription } from '../../../domain/licences/subscription.ts';
import type { CallLog } from '../../../domain/messages/call-log.ts';
import type { OutboundMessage } from '../../../domain/messages/message.ts';
import type { MessageRecord } from '../../../domain/messages/timeline.ts';
import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import { bytesOf } from './items.ts';
import type { Reservation } from '../../../use-cases/ports/reservations.ts';

/** T without its id and with every null left out. */
export type Stored<T> = { _id: string } & {
  [K in keyof Omit<T, 'id'> as null extends T[K] ? never : K]: T[K];
} & { [K in keyof Omit<T, 'id'> as null extends T[K] ? K : never]?: NonNullable<T[K]> };

/** Nulls and undefined go, `id` becomes `_id`. */
export function stored<T extends { id: string }>(item: T): Stored<T> {
  const { id, ...rest } = item;
  // The compiler can't follow that `present` leaves out exactly what Stored makes optional.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { _id: id, ...present(rest) } as unknown as Stored<T>;
}

/** The fields that are neither null nor undefined. */
export function present<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== null && value !== undefined) kept[key] = value;
  }
  return kept;
}

export type SubscriptionDocument = Stored<Subscription>;

export function toSubscription(d: SubscriptionDocument): Subscription {
  return {
    id: d._id,
    accountId: d.accountId,
    status: d.status,
    source: d.source,
    tier: d.tier,
    startsAt: d.startsAt,
    expiresAt: d.expiresAt ?? null,
    autoRenew: d.autoRenew,
    externalId: d.externalId ?? null,
    billed: d.billed ?? null,
    createdAt: d.createdAt,
  };
}

/** What a reservation puts on a channel's document. */
export type ReservedPart = Pick<
  Reservation,
  'codeHash' | 'codeExpiresAt' | 'apiKeyId' | 'identity' | 'subscriptionId' | 'grant'
>;

/**
 * A channel and, until its code is exchanged, the reservation on it. `claims` and `slots` hold what the channel has and what
 * it has reserved, each under one unique index: whoever comes second, with either, is refused by the index.
 */
export type ChannelDocument = Omit<Stored<Channel>, 'failedRetentionDays'> & {
  failedRetentionDays?: number;
  reservation?: ReservedPart | Pick<ReservedPart, 'codeExpiresAt'>;
  claims?: string[];
  slots?: string[];
  /** Goes up with every change of reservation, claim or slot: their compare-and-set. */
  version: number;
  /** Token of the call that exchanged the last code. */
  exchange?: string;
};

/** The reservation on a channel; a reservation without a code is still being made and does not count. */
export function toReservedPart({ reservation }: ChannelDocument): ReservedPart | undefined {
  return reservation !== undefined && 'grant' in reservation ? reservation : undefined;
}

export function toChannel(d: ChannelDocument): Channel {
  return {
    id: d._id,
    accountId: d.accountId,
    channelType: d.channelType,
    identity: d.identity ?? null,
    name: d.name ?? null,
    isActive: d.isActive,
    profile: d.profile ?? null,
    subscribedAsset: d.subscribedAsset ?? null,
    token: d.token ?? null,
    webhookUrl: d.webhookUrl ?? null,
    webhookSecret: d.webhookSecret ?? null,
    previousSecret: d.previousSecret ?? null,
    previousSecretUntil: d.previousSecretUntil ?? null,
    webhookEvents: d.webhookEvents ?? null,
    echoStatuses: d.echoStatuses,
    failedRetentionDays: d.failedRetentionDays ?? 0,
    subscriptionId: d.subscriptionId ?? null,
    connectedAt: d.connectedAt ?? null,
    createdAt: d.createdAt,
  };
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

export type KnownDocument = Pick<MessageDocument, '_id' | Exclude<keyof KnownMessage, 'id'>>;

export const knownFields = {
  origin: 1,
  recipient: 1,
  state: 1,
  rank: 1,
  deliveryFailed: 1,
  attemptedAt: 1,
  statusAt: 1,
  upstreamIds: 1,
} as const satisfies Record<Exclude<keyof KnownDocument, '_id'>, 1>;

export function toKnownMessage(d: KnownDocument): KnownMessage {
  return {
    id: d._id,
    origin: d.origin,
    recipient: d.recipient,
    state: d.state,
    rank: d.rank,
    deliveryFailed: d.deliveryFailed,
    attemptedAt: d.attemptedAt,
    statusAt: d.statusAt ?? null,
    upstreamIds: d.upstreamIds ?? [],
  };
}

export function toMessage(d: MessageDocument): OutboundMessage {
  return { ...toMessageRecord(d), content: d.content === undefined ? null : bytesOf(d.content) };
}

export function toMessageRecord(d: MessageDocument): MessageRecord {
  return {
    ...toKnownMessage(d),
    channelId: d.channelId,
    accountId: d.accountId,
    channelType: d.channelType,
    messageType: d.messageType ?? null,
    copies: d.copies,
    tries: d.tries,
    nextTryAt: d.nextTryAt ?? null,
    sentAt: d.sentAt ?? null,
    deliveredAt: d.deliveredAt ?? null,
    readAt: d.readAt ?? null,
    failedAt: d.failedAt ?? null,
    calls: toCallLog(d),
    error: d.error ?? null,
    errorCode: d.errorCode ?? null,
    epoch: d.epoch,
    createdAt: d.createdAt,
  };
}

/** A call whose node died before the call ended has only a start. */
function toCallLog({ calls }: Pick<MessageDocument, 'calls'>): CallLog | null {
  if (calls === undefined) return null;
  const unseen = { endedAt: null, outcome: 'unknown', error: null, code: null, traceId: null } as const;
  return Object.fromEntries(Object.entries(calls).map(([n, call]) => [n, { ...unseen, ...call }]));
}

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

export function toPendingDelivery(d: DeliveryDocument): PendingDelivery {
  return {
    id: d._id,
    event: d.event,
    messageId: d.messageId,
    requestId: d.requestId ?? null,
    attempts: d.attempts,
    claims: d.claims ?? 0,
    firstTriedAt: d.firstTriedAt ?? null,
    nextDueAt: d.dueAt ?? 0,
    attemptLog: d.attemptLog ?? null,
    createdAt: d.createdAt.getTime(),
  };
}

export interface UnmatchedDocument {
  _id: string;
  channelId: string;
  factId: string;
  fact: SealedText;
  expiresAt: Date;
  dueAt?: number;
  tries?: number;
}

export function toUnmatchedFact(d: UnmatchedDocument): SealedUnmatchedFact {
  const { factId: id, fact, dueAt = null, tries = 0 } = d;
  return { id, fact, expiresAt: d.expiresAt.getTime(), dueAt, tries };
}
