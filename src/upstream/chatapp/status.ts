import type { Receipt, UpstreamErrorDetail } from '../../rules/messages/facts.ts';
import { asCode, asId, asList, asRecord, asText, asTime } from '../read.ts';

/** `played` (a voice note was listened to) implies read; `deleted` and `warning` report nothing of ours. */
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

/** Reads one item of `statuses`. The tag is our message id, returned by upstream. [upstream §4.3] */
export function readReceipt(item: unknown, identity: string, now: number): Receipt | LeftWord {
  const given = asRecord(item);
  if (given === null || asText(given['status']) === null) return 'malformed';
  const upstreamId = asId(given['id']);
  if (upstreamId === null) return 'malformed';
  const status = statuses.get(given['status']);
  if (status === undefined) return 'unknown';
  // One status for each participant of a group, and the group as recipient: nothing is sent to groups here. [upstream §4.3]
  if (status === 'ignored' || given['recipient_type'] === 'group') return 'ignored';
  const userId = asId(given['recipient_user_id']);
  const receipt: Receipt = {
    kind: 'receipt',
    channelType: 'chatapp',
    identity,
    status,
    upstreamId,
    tag: asId(given['biz_opaque_callback_data']),
    // Older API versions omit the recipient; the ids identify the message.
    recipient: asId(given['recipient_id']) ?? userId ?? '',
    at: asTime(given['timestamp']) ?? now,
    errors: given['errors'] === undefined ? noErrors : readErrors(given['errors']),
  };
  if (userId !== null) receipt.recipientUserId = userId;
  return receipt;
}

/** Upstream sends one. A POST could hold 200,000, each of which the event would repeat. [faults: 211] */
const maxErrors = 20;

function readErrors(given: unknown): UpstreamErrorDetail[] {
  const errors: UpstreamErrorDetail[] = [];
  for (const item of asList(given).slice(0, maxErrors)) {
    const error = asRecord(item);
    const code = asCode(error?.['code']);
    if (error === null || code === null) continue;
    const details = asText(asRecord(error['error_data'])?.['details'] ?? error['details']);
    const named = asText(error['title']) ?? asText(error['message']);
    const title = named ?? details ?? '';
    // Title and message are the same general words; the details say which value or file is wrong. [upstream §4.3]
    errors.push(details === null || details === title ? { code, title } : { code, title, details });
  }
  return errors;
}
