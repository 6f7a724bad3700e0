import { seededConfigurations, type LoginConfiguration } from './login-configurations.ts';
import { usualPermissions } from './permissions.ts';

/** How the scopes of a sign-up's token are shown; CONTROL.md has each. */
type SignupScopes = 'both' | 'events_only' | 'granular_only' | 'twice' | 'no_targets' | 'older';
export const signupScopeForms: readonly string[] = [
  'both',
  'events_only',
  'granular_only',
  'twice',
  'no_targets',
  'older',
] satisfies SignupScopes[];

/** Settings that decide what the app, dialog, tokens and pages refuse; CONTROL.md has each with its source. */
export type PlatformSettings = {
  callback_subscribes: boolean;
  app_published: boolean;
  app_access: 'standard' | 'advanced';
  app_features: readonly string[] | null;
  app_permissions: readonly string[] | null;
  login_for_business: boolean;
  dialog_refusals: 'page' | 'redirect' | 'redirect_with_state';
  login_configurations: readonly LoginConfiguration[] | null;
  secure_redirects: boolean;
  signup_version: boolean;
  response_types: boolean;
  number_hint: boolean;
  signup_code_life_ms: number;
  code_needs_redirect: boolean;
  one_grant: boolean;
  open_targets: boolean;
  data_access_days: number;
  signup_scopes: SignupScopes;
  system_token_exchange: boolean;
  page_statuses: boolean;
  photo_rights: boolean;
  missing_scope_is_dead: boolean;
  text_bytes: number;
  human_agent_needs_feature: boolean;
  business_status: number;
  localised: boolean;
  instagram_secret: string | null;
  versions: readonly [oldest: string, newest: string] | null;
  hide_subscribed_fields: boolean;
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
  callback_subscribes: true,
  app_published: true,
  app_access: 'advanced',
  app_features: null,
  app_permissions: null,
  login_for_business: false,
  dialog_refusals: 'page',
  login_configurations: null,
  secure_redirects: false,
  signup_version: false,
  response_types: false,
  number_hint: true,
  signup_code_life_ms: 600_000,
  code_needs_redirect: false,
  one_grant: false,
  open_targets: false,
  data_access_days: 0,
  signup_scopes: 'both',
  system_token_exchange: true,
  page_statuses: false,
  photo_rights: false,
  missing_scope_is_dead: false,
  text_bytes: 0,
  human_agent_needs_feature: false,
  business_status: 0,
  localised: false,
  instagram_secret: null,
  versions: null,
  hide_subscribed_fields: false,
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
  callback_subscribes: false,
  app_published: false,
  app_access: 'standard',
  app_features: [],
  app_permissions: usualPermissions,
  login_configurations: seededConfigurations,
  secure_redirects: true,
  signup_version: true,
  response_types: true,
  number_hint: false,
  signup_code_life_ms: 30_000,
  code_needs_redirect: true,
  one_grant: true,
  open_targets: true,
  data_access_days: 90,
  page_statuses: true,
  photo_rights: true,
  text_bytes: 1000,
  human_agent_needs_feature: true,
  versions: ['v21.0', 'v27.0'],
  field_names: true,
  token_kinds: true,
  subscription_rights: true,
  portfolio_pages: true,
  page_read_rights: true,
  legacy_features: false,
};
