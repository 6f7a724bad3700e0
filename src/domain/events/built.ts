import { toIso } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { Channel } from '../channels/channel.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import type { EventType } from './table.ts';

/** What is POSTed to `webhook_url`, the same for all channel types. [spec: Envelope] */
export interface Envelope {
  event: EventType;
  channel_id: string;
  channel_type: ChannelType;
  timestamp: string;
  data: Record<string, unknown>;
}

/** Something to tell about one message. Building it costs a hash and a date, so that is done once somebody is to be told. */
export interface ChannelEvent {
  event: EventType;
  /** `data.message_id`. */
  messageId: string;
  /** When it happened upstream, ms. */
  at: number;
  /** Beside the id. */
  data: Record<string, unknown>;
  /** Of the request that led to it. */
  requestId?: string;
  /** Beside what was told of it before: see `InboundMessage`. */
  again?: number;
}

/** One event, ready to be delivered: one HTTP POST. */
export interface BuiltEvent {
  event: EventType;
  messageId: string;
  /** The same for the same fact however often upstream reports it. [architecture §6.2] */
  deliveryId: string;
  requestId: string | null;
  envelope: Envelope;
}

/** The same delivery for the same event of the same message, however often upstream reports it. [architecture §6.2] */
export function makeDeliveryId(
  channelId: string,
  messageId: string,
  event: EventType,
  again?: number,
): string {
  return idFrom('delivery', channelId, messageId, event, ...(again === undefined ? [] : [String(again)]));
}

/** [spec: Envelope] */
export function builtEvent(channel: Channel, said: ChannelEvent): BuiltEvent {
  const { event, messageId, at, data } = said;
  return {
    event,
    messageId,
    deliveryId: makeDeliveryId(channel.id, messageId, event, said.again),
    requestId: said.requestId ?? null,
    envelope: {
      event,
      channel_id: channel.id,
      channel_type: channel.channelType,
      timestamp: toIso(at),
      data: { message_id: messageId, ...data },
    },
  };
}

type About = Pick<Delivery, 'person' | 'messageType'>;

/** Whom the event is about; what the message is that it brings, which a status does not. */
export function readAbout({ data }: Envelope): About {
  const { from, recipient, type } = data;
  return { person: textOrNull(from ?? recipient), messageType: textOrNull(type) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
