import { laxChatapp, strictChatapp, type ChatappSettings } from './chatapp-settings.ts';
import { areConfigurations } from './login-configurations.ts';
import { laxPlatform, signupScopeForms, strictPlatform, type PlatformSettings } from './platform-settings.ts';

/** The signature of a webhook: correct, or wrong in one of the ways that a receiver must reject. */
export type SignatureKind =
  | 'good'
  | 'wrong'
  | 'none'
  | 'short'
  | 'uppercase'
  | 'sha1_only'
  | 'other_app'
  | 'twice';

/** How several events share one POST: as entries, as changes of one entry, or as messages of one value. */
export type BatchShape = 'entries' | 'changes' | 'values';

/** Settings of the control API; CONTROL.md explains each. Times in milliseconds unless the name says otherwise. */
export type Settings = PlatformSettings &
  ChatappSettings & {
    callback_url: string | null;
    auto_statuses: boolean;
    status_delay_ms: number;
    auto_read: boolean;
    windows: boolean;
    rates: boolean;
    strict_people: boolean;
    fetch_links: boolean;
    sync_media_failure: boolean;
    media_failure_delay_ms: number;
    link_timeout_ms: number;
    require_proof: boolean;
    template_review_ms: number | null;
    template_page_size: number;
    template_limit: number;
    template_deletion_ms: number;
    file_size_text: boolean;
    failed_contacts: boolean;
    escape_slashes: boolean;
    seconds: boolean;
    signature: SignatureKind;
    batch: number;
    batch_ms: number;
    batch_shape: BatchShape;
    duplicate: number;
    delay_ms: number;
    webhook_concurrency: number;
    webhook_timeout_ms: number;
    retry_schedule_ms: readonly number[];
    unsubscribe_after: number;
    redirect_uris: readonly string[] | null;
    user_token_life_s: number;
  };

export const defaultSettings: Settings = {
  ...laxPlatform,
  ...laxChatapp,
  callback_url: null,
  auto_statuses: true,
  status_delay_ms: 20,
  auto_read: false,
  windows: false,
  rates: false,
  strict_people: false,
  fetch_links: true,
  sync_media_failure: false,
  media_failure_delay_ms: 0,
  link_timeout_ms: 75_000,
  require_proof: false,
  template_review_ms: null,
  template_page_size: 25,
  template_limit: 250,
  template_deletion_ms: 0,
  file_size_text: false,
  failed_contacts: false,
  escape_slashes: true,
  seconds: false,
  signature: 'good',
  batch: 1,
  batch_ms: 10,
  batch_shape: 'entries',
  duplicate: 0,
  delay_ms: 0,
  webhook_concurrency: 64,
  webhook_timeout_ms: 10_000,
  retry_schedule_ms: [200, 1000, 5000, 15_000, 60_000, 300_000],
  unsubscribe_after: 0,
  redirect_uris: null,
  user_token_life_s: 5_184_000,
};

/** What a strict world sets over the defaults. */
const strictSettings: Partial<Settings> = {
  ...strictPlatform,
  ...strictChatapp,
  windows: true,
  rates: true,
  strict_people: true,
  redirect_uris: [],
  // Two pages disagree, 36 hours and 7 days; this is the longer.
  retry_schedule_ms: sevenDays(),
};

function sevenDays(): number[] {
  const hourMs = 3_600_000;
  const days = Array.from({ length: 6 }, () => 24 * hourMs);
  return [...defaultSettings.retry_schedule_ms, hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs, ...days];
}

export type Profile = 'lax' | 'strict';

/** All settings of a new world with this profile. */
export function settingsOf(profile: Profile): Settings {
  return profile === 'strict' ? { ...defaultSettings, ...strictSettings } : { ...defaultSettings };
}

export const signatureKinds: readonly string[] = [
  'good',
  'wrong',
  'none',
  'short',
  'uppercase',
  'sha1_only',
  'other_app',
  'twice',
] satisfies SignatureKind[];

/** True for one of the signature kinds. */
export function isSignatureKind(value: unknown): value is SignatureKind {
  return typeof value === 'string' && signatureKinds.includes(value);
}

/** Overwrites the given settings. Throws an Error that names an unknown setting or a value of the wrong type. */
export function changeSettings(settings: Settings, changes: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(changes)) {
    if (!(name in defaultSettings)) throw new Error(`no setting is called ${name}`);
    if (!fits(name, value)) throw new Error(`${name} cannot be ${JSON.stringify(value)}`);
    Object.assign(settings, { [name]: value });
  }
}

function fits(name: string, value: unknown): boolean {
  switch (name) {
    case 'signature':
      return isSignatureKind(value);
    case 'batch_shape':
      return value === 'entries' || value === 'changes' || value === 'values';
    case 'chatapp_refusals':
      return value === 'later' || value === 'at_once';
    case 'dialog_refusals':
      return value === 'page' || value === 'redirect' || value === 'redirect_with_state';
    case 'callback_url':
      return value === null || (typeof value === 'string' && URL.canParse(value));
    case 'template_review_ms':
      return value === null || isAmount(value);
    case 'app_access':
      return value === 'standard' || value === 'advanced';
    case 'instagram_secret':
      return isNullOr(value, (secret) => typeof secret === 'string' && secret !== '');
    case 'versions':
      return isNullOr(value, areVersions);
    case 'app_features':
    case 'app_permissions':
      return isNullOr(value, areTexts);
    case 'login_configurations':
      return isNullOr(value, areConfigurations);
    case 'signup_scopes':
      return typeof value === 'string' && signupScopeForms.includes(value);
    case 'retry_schedule_ms':
      return Array.isArray(value) && value.every(isAmount);
    case 'redirect_uris':
      return isNullOr(value, areTexts);
    default:
      return Object.entries(defaultSettings).some(
        ([known, now]) =>
          known === name && typeof now === typeof value && (typeof value !== 'number' || isAmount(value)),
      );
  }
}

function isNullOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || is(value);
}

function areVersions(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && value.every((item) => /^v\d+\.\d+$/.test(String(item)))
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
