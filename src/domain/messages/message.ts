import type { ChannelType } from '../vocabulary.ts';
import type { SealedBytes } from '../accounts/sealed.ts';
import type { CallLog } from './call-log.ts';

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
  /** Start of the last upstream call, ms. */
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
