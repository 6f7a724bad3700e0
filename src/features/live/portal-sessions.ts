/**
 * Events for subscribers that authenticate with a portal session: without what people wrote, and without the signature over it. Such a
 * subscriber joins its account's room, as keys do, and a session room; events published to the former exclude the latter. [faults: 176]
 */
import { envelopeFrom } from '../../rules/events/built.ts';
import { redactEventContent } from '../../rules/events/redact-content.ts';
import { asRecord } from '../../kernel/json.ts';
import type { Envelope } from '../../rules/events/built.ts';
import type { Credential } from './credential.ts';
import { liveDeliveryOf } from './live-socket.ts';
import type { LiveDelivery } from './live-socket.ts';

export type EventArguments = [envelope: Envelope, delivery: LiveDelivery];

export function sessionRoom(accountId: string): string {
  return `sessions of ${accountId}`;
}

export function roomsFor({ by }: Credential, accountId: string): string[] {
  return by === 'session' ? [accountId, sessionRoom(accountId)] : [accountId];
}

export function redactEvent(envelope: Envelope, delivery: LiveDelivery): EventArguments {
  const { webhook_id: id, at } = delivery;
  return [redactEventContent(envelope), liveDeliveryOf(id, at, null)];
}

/** Validates the arguments of an event from another node; null if they are invalid. */
export function parseEvent([name, envelope, delivery]: readonly unknown[]): EventArguments | null {
  const event = name === 'event' ? envelopeFrom(envelope) : null;
  const { webhook_id: webhookId, at } = asRecord(delivery) ?? {};
  if (event === null || typeof webhookId !== 'string' || typeof at !== 'string') return null;
  return [event, liveDeliveryOf(webhookId, at, null)];
}
