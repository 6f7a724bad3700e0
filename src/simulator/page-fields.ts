/**
 * Names of webhook fields, which differ by object and are validated there.
 * Source of the page's: `SubscribedFields` of facebook-python-business-sdk, `adobjects/page.py`, head of 2026-06-24 (106 names).
 */
export const pageFields: readonly string[] = words(`
  affiliation agent_messages agent_questions attire awards bio birthday business_integrity call_permission_reply
  call_settings_update calls category checkins comment_poll_response company_overview conversations
  culinary_team current_location description email feature_access_list feed follow founded general_info
  general_manager group_feed hometown hours inbox_labels invalid_topic_placeholder
  invoice_access_bank_slip_events invoice_access_invoice_change invoice_access_invoice_draft_change
  invoice_access_onboarding_status_active leadgen leadgen_fat leadgen_update live_videos local_delivery location
  marketing_message_clicks marketing_message_deliveries marketing_message_delivery_failed
  marketing_message_echoes marketing_message_reads marketing_messages_subscriber_upload_status
  mcom_invoice_change members mention merchant_review message_context message_deliveries message_echoes
  message_edits message_mention message_reactions message_reads message_template_status_update messages
  messaging_account_linking messaging_appointments messaging_checkout_updates messaging_customer_information
  messaging_direct_sends messaging_fblogin_account_linking messaging_feedback messaging_game_plays
  messaging_handovers messaging_in_thread_lead_form_submit messaging_integrity messaging_optins
  messaging_optouts messaging_payments messaging_policy_enforcement messaging_postbacks messaging_pre_checkouts
  messaging_referrals mission name page_about_story page_change_proposal page_upcoming_change parking
  payment_options payment_request_update personal_info personal_interests phone picture price_range
  product_review products public_transit publisher_subscriptions ratings registration response_feedback
  send_cart standby story_poll_response story_share user_action video_text_question_responses videos website
`);

/** Fields of each object that an app can subscribe to. */
export const appFields: Readonly<Record<string, readonly string[]>> = {
  page: pageFields,
  // "Instagram webhook fields and permissions", 2026-10-28; `message_edit` is not documented, but dashboards show it.
  instagram: words(`
    comments live_comments mentions message_edit message_reactions messages messaging_handover messaging_postbacks
    messaging_referral messaging_seen standby story_insights
  `),
  // "WhatsApp: webhooks", the list of fields and the pages of the single fields, 2026-08.
  whatsapp_business_account: words(`
    account_alerts account_review_update account_update automatic_events business_capability_update calls flows
    group_lifecycle_update group_participants_update group_settings_update group_status_update history message_echoes
    message_template_components_update message_template_quality_update message_template_status_update messages
    messaging_handovers partner_solutions payment_configuration_update phone_number_name_update
    phone_number_quality_update security smb_app_state_sync smb_message_echoes standby template_category_update
    tracking_events user_preferences
  `),
};

/** Page fields that need the permission `pages_messaging`: everything about messages [pages: "Webhooks for Pages"]. */
export function isMessageField(name: string): boolean {
  return /^(message_|messages$|messaging_|standby$)/.test(name);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}
