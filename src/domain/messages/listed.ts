/** A message as lists have it. */
import type { Delivery } from '../webhooks/delivery.ts';
import { currentStatus } from './timeline.ts';
import type { MessageRecord } from './timeline.ts';

export const directions = ['outbound', 'inbound', 'echo'] as const;
export type Direction = (typeof directions)[number];

/** `queued`: on its way. `received`: a person wrote it. */
export const listedStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
export type ListedStatus = (typeof listedStatuses)[number];

export interface ListedMessage {
  messageId: string;
  channelId: string;
  direction: Direction;
  /** Whom it is from or for. null: stored before this was kept; so is a null `type`. */
  person: string | null;
  type: string | null;
  status: ListedStatus;
  createdAt: number;
}

/** What a list needs of a message that went out. */
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

/** null: a marker under which nothing was sent, or an echo, which its delivery lists. */
export function listedSent(message: Sent): ListedMessage | null {
  const { id: messageId, channelId, origin, recipient: person, messageType: type, createdAt } = message;
  if (origin !== 'service' || message.state === 'abandoned') return null;
  const status = currentStatus(message) ?? 'queued';
  return { messageId, channelId, direction: 'outbound', person, type, status, createdAt };
}

/** What it needs of a delivery. */
export type Delivered = Pick<
  Delivery,
  'channelId' | 'event' | 'messageId' | 'person' | 'messageType' | 'createdAt'
>;

/** `tracked`: the record of an echo whose statuses are kept. null: it is a status. */
export function listedDelivered(delivery: Delivered, tracked: Sent | undefined): ListedMessage | null {
  const { messageId, channelId, person, messageType: type, createdAt } = delivery;
  if (type === null) return null;
  const one = { messageId, channelId, person, type, createdAt };
  if (delivery.event !== 'message.echo') return { ...one, direction: 'inbound', status: 'received' };
  const status = (tracked === undefined ? null : currentStatus(tracked)) ?? 'sent';
  return { ...one, direction: 'echo', status };
}
