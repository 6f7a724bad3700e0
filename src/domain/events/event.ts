import type { ChannelType } from '../channels/index.ts';

/** [spec: Event types] */
export const eventTypes = [
  'message.received',
  'message.echo',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
] as const;
export type EventType = (typeof eventTypes)[number];

/** What is POSTed to `webhook_url`, the same for all channel types. [spec: Envelope] */
export interface Envelope {
  event: EventType;
  channel_id: string;
  channel_type: ChannelType;
  timestamp: string;
  data: Record<string, unknown>;
}
