import { channelTypes } from '../vocabulary.ts';
import { eventTypes } from './table.ts';
import type { Envelope } from './built.ts';

/** The event that a delivery's bytes say, with its members in the same order; null: they say none. */
export function envelopeIn(bytes: Uint8Array): Envelope | null {
  return envelopeFrom(parsed(bytes));
}

/** The same of what was read already. */
export function envelopeFrom(said: unknown): Envelope | null {
  if (!isObject(said)) return null;
  const event = eventTypes.find((each) => each === said['event']);
  const channelType = channelTypes.find((each) => each === said['channel_type']);
  const { channel_id: channelId, timestamp, data } = said;
  if (event === undefined || channelType === undefined) return null;
  if (typeof channelId !== 'string' || typeof timestamp !== 'string' || !isObject(data)) return null;
  return { event, channel_id: channelId, channel_type: channelType, timestamp, data };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
