import type { Channel } from '../channels/channel.ts';
import { kindOf } from '../channels/kinds.ts';
import { eventOfStatus } from './table.ts';
import { sentenceFor } from '../messages/error-codes.ts';
import { redact } from '../messages/redact.ts';
import type { UpstreamErrorDetail } from '../messages/facts.ts';
import type { DeliveryStatus } from '../messages/message.ts';
import type { ChannelEvent } from './built.ts';

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
 * The status event, once per message and status however often upstream reports it; none where the channel's type has none.
 * [spec: Event types; Status events]
 */
export function statusEvents(
  { channelType }: Pick<Channel, 'channelType'>,
  report: StatusReport,
): ChannelEvent[] {
  const { status, messageId, recipient, at, requestId } = report;
  const event = eventOfStatus[status];
  if (!kindOf(channelType).availableEvents.includes(event)) return [];
  const data = status === 'failed' ? { status, recipient, ...writeFailure(report) } : { status, recipient };
  return [{ event, messageId, at, data, requestId }];
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
