/**
 * Every field of both kinds: the call replaces the page's list, and one page may serve a pagechat and a photoapp channel.
 * [upstream §2.2]
 */
const pageFields = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'messaging_seen',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
].join(',');

export const subscriptionQuery = { subscribed_fields: pageFields };

/** What must be granted, and what is usually needed beside it. [upstream §2.1] */
export interface Scopes {
  required: readonly string[];
  usual: readonly string[];
}

/** `rerequest`: who declined a permission once is asked again, else a second try could never succeed. */
export function scopeParams({ required, usual }: Scopes): [name: string, value: string][] {
  return [
    ['scope', [...required, ...usual].join(',')],
    ['auth_type', 'rerequest'],
  ];
}
