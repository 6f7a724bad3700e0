/** The entry points for untrusted bytes, in the order in which they are fuzzed. */
export const doorNames = [
  'upstream',
  'api',
  'framing',
  'files',
  'receivers',
  'templates',
  'oauth',
  'billing',
  'links',
  'redis',
] as const;

export type DoorName = (typeof doorNames)[number];

/** Entry points with a deliberate bug, which must be found. */
export const mistakenNames = ['throwing', 'standing-still', 'hanging'] as const;

export type MistakenName = (typeof mistakenNames)[number];
