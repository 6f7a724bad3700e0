import type { Parameter } from '../../route.ts';

/** [operator-interface §4, pagination] */
export const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description:
      'Most items in the response. Without it the whole list is returned, unless the call says otherwise',
  },
  {
    name: 'cursor',
    in: 'query',
    schema: { type: 'string', maxLength: 200, pattern: String.raw`^[\w-]+$` },
    description: 'The `next_cursor` of the previous page',
  },
];
