import type { Parameter } from '../../route.ts';

/** [operator-interface §4, pagination] */
export const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description: 'At most this many; everything without it',
  },
  {
    name: 'cursor',
    in: 'query',
    schema: { type: 'string', maxLength: 200, pattern: String.raw`^[\w-]+$` },
    description: '`next_cursor` of the page before',
  },
];
