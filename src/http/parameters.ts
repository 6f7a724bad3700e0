import type { Parameter } from './route.ts';
import type { JsonSchema } from './validation/json-schema.ts';

/** A parameter of the query, for the contract. */
export function inQuery(name: string, schema: JsonSchema, description: string): Parameter {
  return { name, in: 'query', schema, description };
}

/** [operator-interface §4, pagination] */
export const pageParameters: readonly Parameter[] = [
  inQuery(
    'limit',
    { type: 'integer', minimum: 1, maximum: 1000 },
    'Most items in the response. Without it the whole list is returned, unless the call says otherwise',
  ),
  inQuery(
    'cursor',
    { type: 'string', maxLength: 200, pattern: String.raw`^[\w-]+$` },
    'The `next_cursor` of the previous page',
  ),
];
