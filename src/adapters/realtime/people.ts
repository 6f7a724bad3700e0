/**
 * What a person hears who watches at the portal: events without what somebody wrote, and without the signature over it. They are in
 * the room of their account, as its keys are, and in one of their own: what is said to the first leaves the second out. [faults: 176]
 */
import { envelopeFrom } from '../../domain/events/envelope-in.ts';
import { eventWithoutWords } from '../../domain/events/without-words.ts';
import { asRecord } from '../../kernel/json.ts';
import type { Envelope } from '../../domain/events/built.ts';
import type { Credential } from './credential.ts';
import type { LiveDelivery } from './live-delivery.ts';

export type SaidEvent = [envelope: Envelope, delivery: LiveDelivery];

export function roomOfPeople(accountId: string): string {
  return `people of ${accountId}`;
}

export function roomsOf({ by }: Credential, accountId: string): string[] {
  return by === 'session' ? [accountId, roomOfPeople(accountId)] : [accountId];
}

export function forPeople(envelope: Envelope, delivery: LiveDelivery): SaidEvent {
  return [eventWithoutWords(envelope), { ...delivery, signature: null }];
}

/** What another node has said of an event; null: it is none. */
export function saidEventIn([name, envelope, delivery]: readonly unknown[]): SaidEvent | null {
  const event = name === 'event' ? envelopeFrom(envelope) : null;
  const { webhook_id: webhookId, at } = asRecord(delivery) ?? {};
  if (event === null || typeof webhookId !== 'string' || typeof at !== 'string') return null;
  return [event, { webhook_id: webhookId, signature: null, at }];
}
