/**
 * What the portal's page shows of an event: who, what and when, by name. What people wrote, and the signature over it, is for API keys only.
 * [faults: 176]
 */
import { asRecord } from '../../kernel/json.ts';
import { envelopeFrom } from '../../rules/events/built.ts';
import type { Envelope } from '../../rules/events/built.ts';
import type { LiveDelivery, LoggedEntry } from './live-socket.ts';

export interface StreamLine {
  id: string;
  /** When its delivery began. */
  since: string;
  at: string;
  event: string;
  type: string;
  channelId: string;
  messageId: string;
  words: string;
  /** Of a delivery that has ended: how. */
  state?: string;
}

export function eventLine(
  { event, channel_type: type, channel_id: channelId, timestamp: at, data }: Envelope,
  { webhook_id: id, at: since }: Pick<LiveDelivery, 'webhook_id' | 'at'>,
): StreamLine {
  const [words, messageId] = [textIn(data, 'type'), textIn(data, 'message_id')];
  return { id, since, at, event, type, channelId, messageId, words };
}

/** Of an event that another node published; null if its arguments are invalid. */
export function remoteLine([name, envelope, delivery]: readonly unknown[]): StreamLine | null {
  const event = name === 'event' ? envelopeFrom(envelope) : null;
  const { webhook_id: id, at } = asRecord(delivery) ?? {};
  if (event === null || typeof id !== 'string' || typeof at !== 'string') return null;
  return eventLine(event, { webhook_id: id, at });
}

/** Of a delivery that ended while its reader was away. */
export function entryLine(entry: LoggedEntry): StreamLine {
  const { webhook_id: id, created_at: at, event, channel_type: type, channel_id: channelId } = entry;
  const { message_id: messageId, state } = entry;
  return { id, since: at, at, event, type, channelId, messageId, words: '', state };
}

function textIn(data: object, name: string): string {
  const value: unknown = Reflect.get(data, name);
  return typeof value === 'string' ? value : '';
}
