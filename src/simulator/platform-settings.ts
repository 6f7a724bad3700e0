/** Permissions of an app to which the use cases for the three kinds were added in the dashboard. */
export const usualPermissions: readonly string[] = [
  'business_management',
  'email',
  'instagram_basic',
  'instagram_manage_messages',
  'pages_manage_metadata',
  'pages_messaging',
  'pages_read_engagement',
  'pages_show_list',
  'public_profile',
  'whatsapp_business_management',
  'whatsapp_business_manage_events',
  'whatsapp_business_messaging',
];

/** Settings that decide what the app, dialog, tokens and pages refuse; CONTROL.md has each with its source. */
export type PlatformSettings = {
  field_names: boolean;
  token_kinds: boolean;
  subscription_rights: boolean;
  portfolio_pages: boolean;
  page_read_rights: boolean;
  accounts_limit: number;
  legacy_features: boolean;
};

/** Accepts what tests about something else should not stumble over. */
export const laxPlatform: PlatformSettings = {
  field_names: false,
  token_kinds: false,
  subscription_rights: false,
  portfolio_pages: false,
  page_read_rights: false,
  accounts_limit: 0,
  legacy_features: true,
};

/** Refuses what the platform refuses. A refusal that is only guessed stays off: it has the value of `laxPlatform`. */
export const strictPlatform: PlatformSettings = {
  ...laxPlatform,
  field_names: true,
  token_kinds: true,
  subscription_rights: true,
  portfolio_pages: true,
  page_read_rights: true,
  legacy_features: false,
};
