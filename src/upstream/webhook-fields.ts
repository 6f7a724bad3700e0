/**
 * Webhook fields by object and level. A field fires only if the app is subscribed to it and, for a page, the page is too. The names differ
 * between the lists, and one unknown name makes upstream refuse the whole call and keep the previous subscription. [upstream §1.7, §2.2]
 */

/** Fields of a page's own subscription. It serves the channels of both kinds on the page; any of them makes the photo account heard. */
export const pageFields = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
] as const;

/**
 * Fields of the app's subscription, by `object` of the webhooks. Without a `required` one clients miss what the contract promises; an
 * `optional` one is asked for, and left out where upstream does not know it.
 */
interface AppFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export const appFields: Readonly<Record<string, AppFields>> = {
  page: {
    required: [
      'messages',
      'message_echoes',
      'message_deliveries',
      'message_reads',
      'messaging_postbacks',
      'messaging_referrals',
      'standby',
    ],
    optional: [
      'message_edits',
      'message_reactions',
      'messaging_optins',
      'messaging_handovers',
      'messaging_policy_enforcement',
    ],
  },
  instagram: {
    required: ['messages', 'messaging_postbacks', 'messaging_seen', 'messaging_referral', 'standby'],
    optional: ['message_reactions', 'messaging_handover'],
  },
  whatsapp_business_account: {
    required: [
      'messages',
      'smb_message_echoes',
      'message_template_status_update',
      'message_template_quality_update',
      'message_template_components_update',
      'template_category_update',
      'phone_number_quality_update',
      'account_update',
    ],
    optional: ['standby', 'messaging_handovers'],
  },
};
