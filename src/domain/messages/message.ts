import type { ChannelType } from '../vocabulary.ts';
import type { SealedBytes } from '../accounts/sealed.ts';
import type { CallLog } from './call-log.ts';

export const mediaTypes = ['image', 'audio', 'video', 'document'] as const;
export type MediaType = (typeof mediaTypes)[number];

/**
 * `sending`: claimed, a copy may be on its way. `queued`: not confirmed yet, finished in the background.
 * `sent`: upstream confirmed. `failed`: permanent error, or never confirmed. `abandoned`: a marker that took the id first,
 * so that nothing was sent and never will be. [spec: Message send state; architecture §5]
 */
export type SendState = 'sending' | 'queued' | 'sent' | 'failed' | 'abandoned';

/** [spec: Delivery status of a message] `failed` stands beside the ranks: it never lowers one. */
export const deliveryStatuses = ['sent', 'delivered', 'read', 'failed'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

const ranks: Record<DeliveryStatus, 0 | 1 | 2 | 3> = { failed: 0, sent: 1, delivered: 2, read: 3 };

/**
 * How far a status says the message got: the highest one seen is the current one and each implies all earlier ones. `failed`
 * is no step of that ladder, so it never lowers a rank. [spec: Delivery status; faults: I8]
 */
export function rankOf(status: DeliveryStatus): 0 | 1 | 2 | 3 {
  return ranks[status];
}

/** A message that goes out, or one that went out beside us (`origin: 'echo'`, tracked only with `echo_statuses`). */
export interface OutboundMessage {
  id: string;
  channelId: string;
  accountId: string;
  channelType: ChannelType;
  origin: 'service' | 'echo';
  recipient: string;
  /** `text`, `template`, or what its file is. null: stored before this was kept. */
  messageType: string | null;
  /** `Content`; null once no copy can be due any more. */
  content: SealedBytes | null;
  state: SendState;
  /** Highest status seen: 0 none, 1 sent, 2 delivered, 3 read. */
  rank: number;
  /** Upstream reported `failed`, whatever else it reported. */
  deliveryFailed: boolean;
  /** Upstream calls whose outcome is unknown or positive; never more than 2. [faults: I2] */
  copies: number;
  /** Upstream calls in all, definite refusals included. */
  tries: number;
  /** Start of the last upstream call, ms. */
  attemptedAt: number;
  /** The latest `timestamp` of its status events, ms; null before the first. */
  statusAt: number | null;
  /** When each status was first reached, as upstream told it, ms; null: not yet, or it was implied by a later one. */
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
  /** When a definite transient refusal is tried again, ms; null: nothing to retry. */
  nextTryAt: number | null;
  upstreamIds: string[];
  /** null: no call yet, or only a first call that was accepted or is under way. */
  calls: CallLog | null;
  /** Why it failed, or why its last call did not succeed. */
  error: string | null;
  errorCode: number | null;
  /** Epoch of the activation that last claimed it. */
  epoch: number;
  createdAt: number;
}

/** Where a message keeps when it reached each status. */
export const statusTimes = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
} as const satisfies Record<DeliveryStatus, keyof OutboundMessage>;

export type StatusTimes = Pick<OutboundMessage, (typeof statusTimes)[DeliveryStatus]>;
