/** Where bytes of strangers come in, in the order in which the doors are tried. */
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
