/** The entry points for untrusted bytes, in the order in which they are fuzzed. */
export const targetNames = [
  'upstream',
  'api',
  'framing',
  'uploads',
  'pages',
  'files',
  'receivers',
  'templates',
  'oauth',
  'billing',
  'links',
  'redis',
] as const;

export type TargetName = (typeof targetNames)[number];

/** Entry points with a deliberate bug, which must be found. */
export const mistakenNames = ['throwing', 'blocking', 'hanging'] as const;

export type MistakenName = (typeof mistakenNames)[number];
