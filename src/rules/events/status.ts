import type { Channel } from '../channels/channel.ts';
import { kindOf } from '../channels/kinds.ts';
import { eventOfStatus } from './table.ts';
import { quotable, sentenceFor } from '../messages/error-codes.ts';
import { redact } from '../messages/redact.ts';
import type { UpstreamErrorDetail } from '../messages/facts.ts';
import { hasNames, writeRecipientNames } from '../messages/recipient-names.ts';
import type { RecipientNames } from '../messages/recipient-names.ts';
import type { DeliveryStatus } from '../messages/message.ts';
import type { ChannelEvent } from './built.ts';

/** `at` in ms. `errors` is used for `failed` only; `error`: our own sentence, if there is one already. */
export interface StatusReport extends RecipientNames {
  status: DeliveryStatus;
  messageId: string;
  recipient: string;
  at: number;
  errors: readonly UpstreamErrorDetail[];
  error?: string;
  /** Id of the request that caused it. */
  requestId?: string;
}

/**
 * The status event, the same for repeated reports of a status; none if the channel's type does not have it.
 * [spec: Event types; Status events]
 */
export function statusEvents(
  { channelType }: Pick<Channel, 'channelType'>,
  report: StatusReport,
): ChannelEvent[] {
  const { status, messageId, recipient, at, requestId } = report;
  const event = eventOfStatus[status];
  if (!kindOf(channelType).availableEvents.includes(event)) return [];
  const data: Record<string, unknown> = { status, recipient };
  if (hasNames(report)) Object.assign(data, writeRecipientNames(report));
  if (status === 'failed') Object.assign(data, writeFailure(report));
  return [{ event, messageId, at, data, requestId }];
}

/** Sentence and code for upstream's errors of a `failed`. */
export function whyFailed([first]: readonly UpstreamErrorDetail[]): {
  error: string;
  errorCode: number | null;
} {
  if (first === undefined) return { error: 'Delivery failed', errorCode: null };
  const { code, title: message, details } = first;
  return { error: sentenceFor(code, { subcode: null, message, details }), errorCode: code };
}

function writeFailure({ errors, error }: StatusReport): Record<string, unknown> {
  return {
    error: error ?? whyFailed(errors).error,
    errors: errors.map(({ code, title, details }) => ({
      code,
      title: redact(title),
      ...(details === undefined ? {} : { details: quotable(details) }),
    })),
  };
}
