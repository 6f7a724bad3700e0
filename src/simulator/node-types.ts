/** Upstream's name of a kind of node, the fields it shows by default, and those it shows on request (a value may be missing). */
export type NodeType = {
  readonly name: string;
  readonly defaults: readonly string[];
  readonly known: ReadonlySet<string>;
};

function nodeType(name: string, defaults: readonly string[], more: string): NodeType {
  return { name, defaults, known: new Set(['id', ...defaults, ...more.split(/\s+/).filter(Boolean)]) };
}

/** The simulator's node types, with the fields named by upstream's reference and by clients that others wrote. */
export const nodeTypes = {
  user: nodeType(
    'User',
    ['name', 'id'],
    'first_name middle_name last_name name_format short_name email picture link',
  ),
  app: nodeType(
    'Application',
    ['link', 'name'],
    'namespace category subcategory description icon_url logo_url',
  ),
  business: nodeType(
    'Business',
    ['id', 'name'],
    'link created_time verification_status primary_page profile_picture_uri timezone_id vertical',
  ),
  page: nodeType(
    'Page',
    ['name', 'id'],
    'access_token category category_list tasks instagram_business_account connected_instagram_account about cover description description_html display_subtext engagement global_brand_page_name global_brand_root_id link picture username website phone emails location fan_count followers_count verification_status has_whatsapp_number business',
  ),
  account: nodeType(
    'Page',
    ['access_token', 'category', 'category_list', 'name', 'id', 'tasks'],
    'instagram_business_account connected_instagram_account about link picture username website fan_count followers_count business',
  ),
  photo: nodeType(
    'IGUser',
    ['id'],
    'username name profile_picture_url ig_id biography website followers_count follows_count media_count',
  ),
  waba: nodeType(
    'WhatsAppBusinessAccount',
    ['id', 'name', 'timezone_id', 'currency', 'message_template_namespace'],
    'status business_verification_status is_enabled_for_insights marketing_messages_lite_api_status marketing_messages_onboarding_status on_behalf_of_business_info ownership_type health_status country subscribed_apps owner_business_info account_review_status disable_marketing_messages_on_cloud_api phone_numbers message_templates primary_funding_id purchase_order_number',
  ),
  phone: nodeType(
    'WhatsAppBusinessPhoneNumber',
    [
      'id',
      'verified_name',
      'display_phone_number',
      'quality_rating',
      'code_verification_status',
      'platform_type',
    ],
    'status conversational_automation quality_score webhook_configuration name_status new_name_status account_mode is_on_biz_app is_official_business_account is_pin_enabled is_preverified_number search_visibility throughput eligibility_for_api_business_global_search health_status certificate new_certificate last_onboarded_time country_code country_dial_code whatsapp_business_manager_messaging_limit messaging_limit_tier username',
  ),
  template: nodeType(
    'WhatsAppBusinessHSM',
    ['id', 'name', 'language', 'status', 'category', 'parameter_format', 'components'],
    'sub_category quality_score rejected_reason previous_category correct_category last_updated_time message_send_ttl_seconds library_template_name cta_url_link_tracking_opted_out degrees_of_freedom_spec rejection_info',
  ),
  businessProfile: nodeType(
    'WhatsAppBusinessProfile',
    ['about', 'address', 'description', 'email', 'profile_picture_url', 'websites', 'vertical'],
    'messaging_product',
  ),
  phoneSettings: nodeType(
    'WhatsAppBusinessPhoneNumberSettings',
    ['calling', 'storage_configuration', 'user_identity_change'],
    'payload_encryption',
  ),
  persona: nodeType('Persona', ['name', 'profile_picture_url', 'id'], ''),
  thread: nodeType(
    'UnifiedThread',
    ['id', 'link', 'updated_time'],
    'participants senders snippet message_count unread_count can_reply scoped_thread_key name messages folder is_owner is_subscribed former_participants wallpaper',
  ),
  message: nodeType(
    'Message',
    ['id', 'created_time'],
    'from to message attachments reactions reply_to sticker tags shares story is_unsupported',
  ),
  pageUser: nodeType(
    'MessengerUser',
    ['first_name', 'last_name', 'profile_pic'],
    'name locale timezone gender',
  ),
  photoUser: nodeType(
    'InstagramUser',
    ['name', 'profile_pic'],
    'username follower_count is_verified_user is_user_follow_business is_business_follow_user',
  ),
} as const;
