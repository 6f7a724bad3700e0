/** What the live feed says again to who comes back. */
import type { Envelope } from '../../domain/events/built.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { EventType } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';

/** A delivery that was made while somebody was not there to see it. */
export interface MissedEvent {
  deliveryId: string;
  channelId: string;
  channelType: ChannelType;
  event: EventType;
  messageId: string;
  state: Delivery['state'];
  createdAt: number;
  /** The event itself, while it waits to be delivered; null: erased with the outcome. [spec: Payload storage] */
  content: { envelope: Envelope; signature: string | null } | null;
}
