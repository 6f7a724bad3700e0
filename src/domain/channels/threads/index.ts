/** What photoapp and pagechat share: conversations with scoped user ids. */
import type { EventType } from '../../vocabulary.ts';
import { requireDigits } from '../recipient.ts';

/** Far above the 17 digits seen, far below what could hurt. */
const maxScopedId = 64;
const hint = 'Send the numeric user id exactly as it came in data.from of a received message.';

/** [spec: Event types] There is neither a sent report nor a failure report upstream. */
export const threadEvents: readonly EventType[] = [
  'message.received',
  'message.echo',
  'message.delivered',
  'message.read',
];

/** A scoped user id, unchanged. Throws fault `invalid_recipient`. [spec: Errors] */
export function checkScopedId(raw: string): string {
  return requireDigits(raw, maxScopedId, hint);
}
