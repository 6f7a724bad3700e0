/** What the platform refuses of chatapp, and what a lax world accepts; CONTROL.md has a row for each. */
export type ChatappSettings = {
  offboarded_code: number;
  registration_limit: number;
  pin_guesses: number;
  pin_gap_ms: number;
  unregistered_sends: boolean;
  platform_lag_ms: number;
  throughput: string;
  throttle_status: number;
  chatapp_refusals: 'later' | 'at_once';
  number_rules: boolean;
  scoped_user_ids: boolean;
  template_parts: boolean;
  template_languages: boolean;
  coupon_example_limit: number;
  media_life: boolean;
  management_calls_per_hour: number;
};

export const laxChatapp: ChatappSettings = {
  offboarded_code: 133_010,
  registration_limit: 0,
  pin_guesses: 0,
  pin_gap_ms: 0,
  unregistered_sends: true,
  platform_lag_ms: 0,
  throughput: 'HIGH',
  throttle_status: 429,
  chatapp_refusals: 'later',
  number_rules: false,
  scoped_user_ids: false,
  template_parts: false,
  template_languages: false,
  coupon_example_limit: 20,
  media_life: false,
  management_calls_per_hour: 0,
};

export const strictChatapp: ChatappSettings = {
  ...laxChatapp,
  registration_limit: 10,
  pin_guesses: 5,
  pin_gap_ms: 1_000,
  unregistered_sends: false,
  platform_lag_ms: 3_000,
  throughput: 'STANDARD',
  throttle_status: 400,
  number_rules: true,
  scoped_user_ids: true,
  template_parts: true,
  template_languages: true,
  coupon_example_limit: 15,
  media_life: true,
  management_calls_per_hour: 200,
};
