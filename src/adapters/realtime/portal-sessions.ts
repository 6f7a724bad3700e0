/**
 * What a subscriber gets that authenticates with a portal session: events without what somebody wrote, and without the signature over it. Sessions are
 * in the room of their account, as its keys are, and in one of their own: what is published to the first leaves the second out. [faults: 176]
 */
import { envelopeFrom } from '../../domain/events/envelope-in.ts';
import { eventWithoutWords } from '../../domain/events/without-words.ts';
import { asRecord } from '../../kernel/json.ts';
import type { Envelope } from '../../domain/events/built.ts';
import type { Credential } from './credential.ts';
import type { LiveDelivery } from './live-delivery.ts';

export type EventArguments = [envelope: Envelope, delivery: LiveDelivery];

export function sessionRoom(accountId: string): string {
  return `sessions of ${accountId}`;
}

export function roomsFor({ by }: Credential, accountId: string): string[] {
  return by === 'session' ? [accountId, sessionRoom(accountId)] : [accountId];
}

export function redactEvent(envelope: Envelope, delivery: LiveDelivery): EventArguments {
  return [eventWithoutWords(envelope), { ...delivery, signature: null }];
}

/** The arguments of an event of another node; null: they are none. */
export function parseEvent([name, envelope, delivery]: readonly unknown[]): EventArguments | null {
  const event = name === 'event' ? envelopeFrom(envelope) : null;
  const { webhook_id: webhookId, at } = asRecord(delivery) ?? {};
  if (event === null || typeof webhookId !== 'string' || typeof at !== 'string') return null;
  return [event, { webhook_id: webhookId, signature: null, at }];
}
