import { toIso } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { Channel } from '../channels/channel.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { channelTypes } from '../vocabulary.ts';
import type { ChannelType } from '../vocabulary.ts';
import { eventTypes, isOfChange } from './table.ts';
import type { EventType } from './table.ts';
import { asRecord, stringOrNull } from '../../kernel/json.ts';

/** The body POSTed to `webhook_url`, the same for all channel types. [spec: Envelope] */
export interface Envelope {
  event: EventType;
  channel_id: string;
  channel_type: ChannelType;
  timestamp: string;
  data: Record<string, unknown>;
}

/** An event about one message, or about a change of the channel or a template. Building its envelope costs a hash and a date, so it is built only if somebody receives it. */
export interface ChannelEvent {
  event: EventType;
  /** `data.message_id`; of a change `data.change_id`. */
  messageId: string;
  /** Upstream's time (ms). */
  at: number;
  /** `data` without the id. */
  data: Record<string, unknown>;
  /** Id of the request that caused it. */
  requestId?: string;
  /** Set for a repetition by an operator: see `InboundMessage`. */
  again?: number;
  /** Upstream's id of the message that it brings; absent for a status. */
  upstreamId?: string;
}

/** An event ready for delivery: one HTTP POST. */
export interface BuiltEvent {
  event: EventType;
  messageId: string;
  /** Derived from the fact, so that repeated reports of upstream give the same id. [architecture §6.2] */
  deliveryId: string;
  requestId: string | null;
  upstreamId: string | null;
  envelope: Envelope;
}

/** Deterministic id: repeated reports of the same event of a message lead to the same delivery. [architecture §6.2] */
export function makeDeliveryId(ownerId: string, messageId: string, event: EventType, again?: number): string {
  return idFrom('delivery', ownerId, messageId, event, ...(again === undefined ? [] : [String(again)]));
}

/** `ownerId`: of the delivery, the channel or an endpoint of it. [spec: Envelope] */
export function builtEvent(channel: Channel, said: ChannelEvent, ownerId = channel.id): BuiltEvent {
  const { event, messageId, at, data } = said;
  return {
    event,
    messageId,
    deliveryId: makeDeliveryId(ownerId, messageId, event, said.again),
    requestId: said.requestId ?? null,
    upstreamId: said.upstreamId ?? null,
    envelope: {
      event,
      channel_id: channel.id,
      channel_type: channel.channelType,
      timestamp: toIso(at),
      data: isOfChange(event) ? { change_id: messageId, ...data } : { message_id: messageId, ...data },
    },
  };
}

type About = Pick<Delivery, 'person' | 'messageType'>;

/** The person of the event, and the type of the message that it carries; null for a status. */
export function readAbout({ data }: Envelope): About {
  const { from, recipient, type } = data;
  return { person: stringOrNull(from ?? recipient), messageType: stringOrNull(type) };
}

/** Parses a delivery's payload, keeping the order of members; null if it is no event. */
export function envelopeIn(bytes: Uint8Array): Envelope | null {
  return envelopeFrom(parsed(bytes));
}

/** As `envelopeIn`, for parsed JSON. */
export function envelopeFrom(said: unknown): Envelope | null {
  const { event: name, channel_id: channelId, channel_type: type, timestamp, data } = asRecord(said) ?? {};
  const event = eventTypes.find((each) => each === name);
  const channelType = channelTypes.find((each) => each === type);
  const about = asRecord(data);
  if (event === undefined || channelType === undefined || about === null) return null;
  if (typeof channelId !== 'string' || typeof timestamp !== 'string') return null;
  return { event, channel_id: channelId, channel_type: channelType, timestamp, data: about };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}
