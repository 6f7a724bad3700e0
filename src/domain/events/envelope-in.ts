import { channelTypes } from '../vocabulary.ts';
import { eventTypes } from './table.ts';
import type { Envelope } from './built.ts';
import { asRecord } from '../../kernel/json.ts';

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
