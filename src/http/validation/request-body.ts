import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { asRecord } from '../../kernel/json.ts';
import { toFieldErrors, maxErrors, valueError } from './field-errors.ts';
import { maxListItems } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** What a route takes as its body: the schema is shown in the contract, `compile` is called once at start. */
export interface RequestBody<B> {
  schema: JsonSchema | null;
  /** The returned parser throws Fault 422. */
  compile: (ajv: Ajv2020) => (value: unknown) => B;
}

/** The route reads no body; one that is sent is thrown away. */
export const noBody: RequestBody<undefined> = { schema: null, compile: () => () => undefined };

/** `B` is written beside the schema and says the same. */
export function requestBody<B>(schema: JsonSchema): RequestBody<B> {
  return { schema, compile: (ajv) => makeParser(ajv.compile<B>(schema), schema) };
}

function makeParser<B>(fits: ValidateFunction<B>, schema: JsonSchema): (value: unknown) => B {
  const fields = Object.keys(schema['properties'] ?? {});
  return (value) => {
    refuseLongLists(value, fields);
    if (fits(value)) return value;
    throw fault('validation', { errors: toFieldErrors(fits.errors ?? [], value, 'body') });
  };
}

/**
 * [operator-interface §4] With all errors asked for, ajv looks at every item of a list however long it is: longer ones never reach
 * it, wherever they stand in a field of ours. The reader of the JSON has bounded its values and its depth.
 */
function refuseLongLists(value: unknown, fields: readonly string[]): void {
  const record = asRecord(value);
  if (record === null) return;
  const errors: FieldError[] = [];
  for (const field in record)
    if (typeof record[field] === 'object' && fields.includes(field))
      noteLongLists(record[field], ['body', field], errors);
  if (errors.length > 0) throw fault('validation', { errors: errors.slice(0, maxErrors) });
}

function noteLongLists(value: unknown, loc: FieldError['loc'], errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length > maxListItems) {
    errors.push({ loc, ...valueError(`should have at most ${maxListItems} items`) });
    return;
  }
  for (const [key, item] of Object.entries(value))
    noteLongLists(item, [...loc, Array.isArray(value) ? Number(key) : key], errors);
}
