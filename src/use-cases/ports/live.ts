/** Events that the live feed replays to a subscriber that reconnects. */
import type { Envelope } from '../../domain/events/built.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { EventType } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';

/** A delivery that was created while the subscriber was disconnected. */
export interface MissedEvent {
  deliveryId: string;
  channelId: string;
  channelType: ChannelType;
  event: EventType;
  messageId: string;
  state: Delivery['state'];
  createdAt: number;
  /** The event, while its delivery is pending; null: erased with the outcome. [spec: Payload storage] */
  content: { envelope: Envelope; signature: string | null } | null;
}
