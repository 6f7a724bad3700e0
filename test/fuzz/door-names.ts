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

/** Doors with a mistake on purpose, which must be found. */
export const mistakenNames = ['throwing', 'standing-still', 'hanging'] as const;

export type MistakenName = (typeof mistakenNames)[number];
