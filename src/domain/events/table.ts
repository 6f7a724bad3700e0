/** Every event, described once; which channel types have it is for their kinds to say. [spec: Event types] */
import type { DeliveryStatus } from '../messages/message.ts';

interface EventRow {
  /** To who integrates. */
  meaning: string;
  /** To a person who ticks it. */
  label: string;
  /** The delivery status that it tells of; null: it tells of a message. */
  status: DeliveryStatus | null;
}

export const eventTable = {
  'message.received': { meaning: 'A person wrote', label: 'somebody writes', status: null },
  'message.echo': {
    meaning: 'A copy of what the business sent outside the service',
    label: 'a copy of what was written elsewhere',
    status: null,
  },
  'message.sent': {
    meaning: 'Upstream took an outbound message',
    label: 'the platform took it',
    status: 'sent',
  },
  'message.delivered': {
    meaning: 'It is on the recipient’s device',
    label: 'it reached the device',
    status: 'delivered',
  },
  'message.read': {
    meaning: 'It was read; never comes where read receipts are off',
    label: 'it was read',
    status: 'read',
  },
  'message.failed': {
    meaning: 'It could not be delivered',
    label: 'it could not be delivered',
    status: 'failed',
  },
} as const satisfies Record<string, EventRow>;

export type EventType = keyof typeof eventTable;

type Table = typeof eventTable;
type EventThatTellsOf<S> = { [E in EventType]: Table[E]['status'] extends S ? E : never }[EventType];

export const eventTypes = keysOf(eventTable);

/** The event that tells of each delivery status. */
export const eventOfStatus = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
} as const satisfies { [S in DeliveryStatus]: EventThatTellsOf<S> };

function keysOf<K extends string>(table: Record<K, unknown>): readonly K[] {
  const keys: K[] = [];
  for (const key in table) keys.push(key);
  return keys;
}
