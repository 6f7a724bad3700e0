import { kindOf } from '../channels/index.ts';
import type { Channel, ChannelType } from '../channels/index.ts';
import { hintFor, redact } from '../messages/index.ts';
import type { DeliveryStatus, UpstreamErrorDetail } from '../messages/index.ts';
import { builtEvent } from './built.ts';
import type { BuiltEvent } from './built.ts';
import type { EventType } from './event.ts';

const statusEvents = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
} as const satisfies Record<DeliveryStatus, EventType>;

/** The event that reports this status on this channel type; null where the type has none. [spec: Event types] */
export function eventForStatus(type: ChannelType, status: DeliveryStatus): EventType | null {
  const event = statusEvents[status];
  return kindOf(type).availableEvents.includes(event) ? event : null;
}

/** `at`: ms. `errors` matter for `failed` only. */
export interface StatusReport {
  status: DeliveryStatus;
  messageId: string;
  recipient: string;
  at: number;
  errors: readonly UpstreamErrorDetail[];
}

/**
 * The status event, once per message and status however often upstream reports it. Whether the channel's type has the event
 * is for `eventForStatus` to say. [spec: Status events]
 */
export function statusEvent(channel: Channel, report: StatusReport): BuiltEvent {
  const { status, messageId, recipient, at } = report;
  return builtEvent(channel, statusEvents[status], messageId, at, {
    status,
    recipient,
    ...(status === 'failed' ? failureOf(report.errors) : {}),
  });
}

function failureOf(errors: readonly UpstreamErrorDetail[]): Record<string, unknown> {
  const [first] = errors;
  return {
    error:
      first === undefined ? 'Delivery failed' : hintFor(first.code, { subcode: null, message: first.title }),
    errors: errors.map(({ code, title }) => ({ code, title: redact(title) })),
  };
}
