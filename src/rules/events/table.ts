/** All events, each described once; the kinds declare which channel types have it. [spec: Event types] */
import type { DeliveryStatus } from '../messages/message.ts';

interface EventRow {
  /** For developers. */
  meaning: string;
  /** For a person who selects it in the portal. */
  label: string;
}

export const eventTable = {
  'message.received': { meaning: 'A user sent a message to the business', label: 'somebody writes' },
  'message.echo': {
    meaning: 'Copy of a message that the business sent outside the service',
    label: 'a copy of what was written elsewhere',
  },
  'message.sent': {
    meaning: 'Upstream accepted an outbound message',
    label: 'the platform took it',
  },
  'message.delivered': {
    meaning: 'A message was delivered to the recipient’s device',
    label: 'it reached the device',
  },
  'message.read': {
    meaning: 'The recipient read a message; never sent if the recipient’s read receipts are off',
    label: 'it was read',
  },
  'message.failed': {
    meaning: 'A message could not be delivered',
    label: 'it could not be delivered',
  },
  'channel.updated': {
    meaning:
      'Something that upstream decides about the channel changed: its token, access, registration, quality, or whether it may send',
    label: 'the channel works no more, or works again',
  },
  'template.updated': {
    meaning: "Upstream changed a template's status, category or quality",
    label: 'a template was reviewed, paused or moved',
  },
  'person.updated': {
    meaning: 'A person has another phone number or business-scoped id from now on',
    label: 'somebody has a new number or id',
  },
} as const satisfies Record<string, EventRow>;

export type EventType = keyof typeof eventTable;

export const eventTypes = listKeys(eventTable);

/** Events about a change, whose `data` begins with `change_id`; the data of all others begins with `message_id`. */
export function isOfChange(event: string): event is 'channel.updated' | 'template.updated' {
  return event === 'channel.updated' || event === 'template.updated';
}

/** What a message can cause. */
export const messageEvents: readonly EventType[] = eventTypes.filter((event) => !isOfChange(event));

/** Event of a webhook test: not part of the contract, so that no receiver takes it for a message. */
export const testEvent = 'webhook.test';

/** Events in the delivery log. */
export type DeliveryEvent = EventType | typeof testEvent;

export const deliveryEvents: readonly DeliveryEvent[] = [...eventTypes, testEvent];

/** The event of each delivery status. */
export const eventOfStatus = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
} as const satisfies Record<DeliveryStatus, EventType>;

function listKeys<K extends string>(table: Record<K, unknown>): readonly K[] {
  const keys: K[] = [];
  for (const key in table) keys.push(key);
  return keys;
}
