/** A message in lists. */
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { currentStatus } from './timeline-rules.ts';
import type { MessageRecord } from './timeline-rules.ts';

export const directions = ['outbound', 'inbound', 'echo'] as const;
export type Direction = (typeof directions)[number];

/** `queued`: not sent yet. `received`: written by a person. */
export const listedStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
export type ListedStatus = (typeof listedStatuses)[number];

export interface ListedMessage {
  messageId: string;
  channelId: string;
  direction: Direction;
  /** Sender or recipient. null, as in `type`: stored by an earlier version. */
  person: string | null;
  type: string | null;
  status: ListedStatus;
  createdAt: number;
}

/** Fields of a sent message that lists need. */
export type Sent = Pick<
  MessageRecord,
  | 'id'
  | 'channelId'
  | 'origin'
  | 'recipient'
  | 'messageType'
  | 'state'
  | 'rank'
  | 'deliveryFailed'
  | 'createdAt'
>;

/** null for an abandoned marker, and for an echo, which is listed by its delivery. */
export function listedSent(message: Sent): ListedMessage | null {
  const { id: messageId, channelId, origin, recipient: person, messageType: type, createdAt } = message;
  if (origin !== 'service' || message.state === 'abandoned') return null;
  const status = currentStatus(message) ?? 'queued';
  return { messageId, channelId, direction: 'outbound', person, type, status, createdAt };
}

/** Fields of a delivery that lists need. */
export type Delivered = Pick<
  Delivery,
  'channelId' | 'event' | 'messageId' | 'person' | 'messageType' | 'createdAt'
>;

/** `tracked`: the record of an echo with tracked statuses. Returns null for a status event. */
export function listedDelivered(delivery: Delivered, tracked: Sent | undefined): ListedMessage | null {
  const { messageId, channelId, person, messageType: type, createdAt } = delivery;
  if (type === null) return null;
  const one = { messageId, channelId, person, type, createdAt };
  if (delivery.event !== 'message.echo') return { ...one, direction: 'inbound', status: 'received' };
  const status = (tracked === undefined ? null : currentStatus(tracked)) ?? 'sent';
  return { ...one, direction: 'echo', status };
}
