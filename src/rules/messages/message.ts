import type { ChannelType } from '../vocabulary.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';
import type { Channel } from '../channels/channel.ts';

export const mediaTypes = ['image', 'audio', 'video', 'document'] as const;
export type MediaType = (typeof mediaTypes)[number];

/**
 * `sending`: claimed, a copy may be in flight. `queued`: unconfirmed, continued in the background.
 * `sent`: confirmed by upstream. `failed`: permanent error, or never confirmed. `abandoned`: a marker that was inserted first
 * under the id, so that nothing was sent and never will be. [spec: Message send state; architecture §5]
 */
export type SendState = 'sending' | 'queued' | 'sent' | 'failed' | 'abandoned';

/** [spec: Delivery status of a message] `failed` is outside the ranks: it never lowers one. */
export const deliveryStatuses = ['sent', 'delivered', 'read', 'failed'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

const ranks: Record<DeliveryStatus, 0 | 1 | 2 | 3> = { failed: 0, sent: 1, delivered: 2, read: 3 };

/**
 * Rank of a status: the highest one seen is current, and each implies the lower ones. `failed`
 * has rank 0, so it never lowers a rank. [spec: Delivery status; faults: I8]
 */
export function rankOf(status: DeliveryStatus): 0 | 1 | 2 | 3 {
  return ranks[status];
}

/** A message sent by the service, or one sent outside it (`origin: 'echo'`, tracked only with `echo_statuses`). */
export interface OutboundMessage {
  id: string;
  channelId: string;
  accountId: string;
  channelType: ChannelType;
  origin: 'service' | 'echo';
  recipient: string;
  /** `text`, `template`, or the file's media type. null: stored by an earlier version. */
  messageType: string | null;
  /** Sealed `Content`; null once no further copy can be due. */
  content: SealedBytes | null;
  state: SendState;
  /** Highest status seen: 0 none, 1 sent, 2 delivered, 3 read. */
  rank: number;
  /** Upstream reported `failed`, possibly beside other statuses. */
  deliveryFailed: boolean;
  /** Upstream calls whose outcome is unknown or positive; never more than 2. [faults: I2] */
  copies: number;
  /** All upstream calls, definite refusals included. */
  tries: number;
  /** Start of the last upstream call, ms; if that one was refused for now, of the last before it that may have gone out. */
  attemptedAt: number;
  /** Latest `timestamp` of its status events (ms); null before the first. */
  statusAt: number | null;
  /** Upstream's time (ms) of the first report of each status; null: not reported, or only implied by a later one. */
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
  /** Time (ms) of the retry after a definite transient refusal; null: nothing to retry. */
  nextTryAt: number | null;
  upstreamIds: string[];
  /** null: no call yet, or only a first call that is running or was accepted. */
  calls: CallLog | null;
  /** Why the message failed, or why its last call did not succeed. */
  error: string | null;
  errorCode: number | null;
  /** Epoch of the activation that last claimed it. */
  epoch: number;
  createdAt: number;
}

/** Field with the time of each status. */
export const statusTimes = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
} as const satisfies Record<DeliveryStatus, keyof OutboundMessage>;

export type StatusTimes = Pick<OutboundMessage, (typeof statusTimes)[DeliveryStatus]>;

// Log of a message's upstream calls, kept in its record and shown in its timeline.

/** A call that ended. An accepted first call is not logged, because the record's own times describe it. */
export interface LoggedCall {
  /** Start, ms. */
  at: number;
  /** null: the node died before the end. */
  endedAt: number | null;
  /** `unknown`: may have been sent. `deferred`: certainly not sent, retried. */
  outcome: 'accepted' | 'refused' | 'deferred' | 'unknown';
  /** Our sentence, with upstream's words if there are any, without secrets. null: no error. */
  error: string | null;
  code: number | null;
  /** Upstream's id of the call, for its support. */
  traceId: string | null;
  /** Id of the API request that asked for the send; absent if the calling node did not know it. */
  requestId?: string;
}

/** `n` counts a message's calls from 1. */
export interface EndedCall extends LoggedCall {
  n: number;
}

/** Keys are `n`. */
export type CallLog = Readonly<Record<string, LoggedCall>>;

type Own = Pick<OutboundMessage, 'id' | 'recipient' | 'state' | 'attemptedAt' | 'epoch' | 'createdAt'> &
  Partial<
    Pick<
      OutboundMessage,
      | 'origin'
      | 'messageType'
      | 'content'
      | 'rank'
      | 'statusAt'
      | 'sentAt'
      | 'deliveredAt'
      | 'copies'
      | 'tries'
      | 'upstreamIds'
    >
  >;

/** A new message with the values of `own` and defaults. Every send makes one: an object literal is faster than spreads. */
export function newMessage(
  channel: Pick<Channel, 'id' | 'accountId' | 'channelType'>,
  own: Own,
): OutboundMessage {
  return {
    id: own.id,
    channelId: channel.id,
    accountId: channel.accountId,
    channelType: channel.channelType,
    origin: own.origin ?? 'service',
    recipient: own.recipient,
    messageType: own.messageType ?? null,
    content: own.content ?? null,
    state: own.state,
    rank: own.rank ?? 0,
    deliveryFailed: false,
    statusAt: own.statusAt ?? null,
    sentAt: own.sentAt ?? null,
    deliveredAt: own.deliveredAt ?? null,
    readAt: null,
    failedAt: null,
    copies: own.copies ?? 0,
    tries: own.tries ?? 0,
    attemptedAt: own.attemptedAt,
    nextTryAt: null,
    upstreamIds: own.upstreamIds ?? [],
    calls: null,
    error: null,
    errorCode: null,
    epoch: own.epoch,
    createdAt: own.createdAt,
  };
}

/** The marker that claims an id without a send: nothing was sent under it and never will be. [architecture §5] */
export function abandonedMarker(
  channel: Pick<Channel, 'id' | 'accountId' | 'channelType'>,
  own: Omit<Own, 'state'>,
): OutboundMessage {
  return newMessage(channel, { ...own, state: 'abandoned' });
}
