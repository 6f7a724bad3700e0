/** What the platform refuses of chatapp, and what a lax world accepts; CONTROL.md has a row for each. */
export type ChatappSettings = {
  offboarded_code: number;
  registration_limit: number;
  pin_guesses: number;
  pin_gap_ms: number;
  unregistered_sends: boolean;
  platform_lag_ms: number;
  throughput: string;
};

export const laxChatapp: ChatappSettings = {
  offboarded_code: 133_010,
  registration_limit: 0,
  pin_guesses: 0,
  pin_gap_ms: 0,
  unregistered_sends: true,
  platform_lag_ms: 0,
  throughput: 'HIGH',
};

export const strictChatapp: ChatappSettings = {
  ...laxChatapp,
  registration_limit: 10,
  pin_guesses: 5,
  pin_gap_ms: 1_000,
  unregistered_sends: false,
  platform_lag_ms: 3_000,
  throughput: 'STANDARD',
};
