import type { Receipt, UpstreamErrorDetail } from '../../../domain/messages/facts.ts';
import { codeOf, idOf, listOf, recordOf, textOf, timeOf } from '../wire/read.ts';

/** `played` (a voice note was listened to) is at least read; `deleted` and `warning` say nothing we report. */
const statuses = new Map<unknown, Receipt['status'] | 'ignored'>([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
  ['deleted', 'ignored'],
  ['warning', 'ignored'],
]);

const noErrors: UpstreamErrorDetail[] = [];

type LeftWord = 'ignored' | 'malformed' | 'unknown';

/** One item of `statuses`. The tag is our message id, returned by upstream. [upstream §4.3] */
export function receiptOf(item: unknown, identity: string, now: number): Receipt | LeftWord {
  const given = recordOf(item);
  if (given === null || textOf(given['status']) === null) return 'malformed';
  const upstreamId = idOf(given['id']);
  if (upstreamId === null) return 'malformed';
  const status = statuses.get(given['status']);
  if (status === undefined) return 'unknown';
  if (status === 'ignored') return status;
  return {
    kind: 'receipt',
    channelType: 'chatapp',
    identity,
    status,
    upstreamId,
    tag: idOf(given['biz_opaque_callback_data']),
    // The message is known by its ids; a status of an older version without recipient is still a status.
    recipient: idOf(given['recipient_id']) ?? idOf(given['recipient_user_id']) ?? '',
    at: timeOf(given['timestamp']) ?? now,
    errors: given['errors'] === undefined ? noErrors : errorsOf(given['errors']),
  };
}

function errorsOf(given: unknown): UpstreamErrorDetail[] {
  const errors: UpstreamErrorDetail[] = [];
  for (const item of listOf(given)) {
    const error = recordOf(item);
    const code = codeOf(error?.['code']);
    if (error === null || code === null) continue;
    const details = recordOf(error['error_data'])?.['details'] ?? error['details'];
    const title = textOf(error['title']) ?? textOf(error['message']) ?? textOf(details) ?? '';
    errors.push({ code, title });
  }
  return errors;
}
