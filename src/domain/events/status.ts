import type { ChannelType } from '../vocabulary.ts';
import { kindOf } from '../channels/kinds.ts';
import { eventOfStatus } from './table.ts';
import type { EventType } from './table.ts';
import { sentenceFor } from '../messages/error-codes.ts';
import { redact } from '../messages/redact.ts';
import type { UpstreamErrorDetail } from '../messages/facts.ts';
import type { DeliveryStatus } from '../messages/message.ts';
import type { ChannelEvent } from './built.ts';

/** The event that reports this status on this channel type; null where the type has none. [spec: Event types] */
export function eventForStatus(type: ChannelType, status: DeliveryStatus): EventType | null {
  const event = eventOfStatus[status];
  return kindOf(type).availableEvents.includes(event) ? event : null;
}

/** `at`: ms. `errors` matter for `failed` only; `error` is our own sentence where we have one already. */
export interface StatusReport {
  status: DeliveryStatus;
  messageId: string;
  recipient: string;
  at: number;
  errors: readonly UpstreamErrorDetail[];
  error?: string;
  /** Of what led to it. */
  requestId?: string;
}

/**
 * The status event, once per message and status however often upstream reports it. Whether the channel's type has the event
 * is for `eventForStatus` to say. [spec: Status events]
 */
export function statusEvent(report: StatusReport): ChannelEvent {
  const { status, messageId, recipient, at, requestId } = report;
  const data = status === 'failed' ? { status, recipient, ...writeFailure(report) } : { status, recipient };
  return { event: eventOfStatus[status], messageId, at, data, requestId };
}

/** What upstream's errors of a `failed` come to. */
export function whyFailed([first]: readonly UpstreamErrorDetail[]): {
  error: string;
  errorCode: number | null;
} {
  if (first === undefined) return { error: 'Delivery failed', errorCode: null };
  const { code, title: message } = first;
  return { error: sentenceFor(code, { subcode: null, message }), errorCode: code };
}

function writeFailure({ errors, error }: StatusReport): Record<string, unknown> {
  return {
    error: error ?? whyFailed(errors).error,
    errors: errors.map(({ code, title }) => ({ code, title: redact(title) })),
  };
}
