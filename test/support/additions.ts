/** Members of events that were added to the contract. [spec: Additions] */
const additions = new Set([
  'from_user_id',
  'from_username',
  'recipient_user_id',
  'wa_id',
  'reply_to',
  'referral',
  'button',
  'content',
  'unsupported_reason',
]);

/** The data of an event as an early client knows it. */
export function withoutAdditions(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !additions.has(name)));
}
