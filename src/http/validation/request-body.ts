import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { fault, fieldFault, maxFieldErrors, valueError } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { asRecord } from '../../kernel/json.ts';
import { toFieldErrors } from './field-errors.ts';
import { FileForm } from '../middleware/file-form.ts';
import type { ArrivingFile } from '../middleware/file-form.ts';
import { maxListItems, shownAs } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** The body that a route takes: `schema` is shown in the contract, `compile` is called once, by the first request at the latest. */
export interface RequestBody<B> {
  schema: JsonSchema | null;
  /** A request without a body counts as one with `{}`. */
  isOptional?: true;
  /** The value to parse is that of `openFileForm`. */
  isFileForm?: true;
  /** The returned parser throws Fault 422. */
  compile: (ajv: Ajv2020) => (value: unknown) => B;
}

/** The type of the parsed body. */
export type BodyOf<R> = R extends RequestBody<infer B> ? B : never;

/** The route reads no body; a body that is sent is discarded. */
export const noBody: RequestBody<undefined> = { schema: null, compile: () => () => undefined };

/** `B` follows from the schema. */
export function requestBody<B>(schema: JsonSchema<B>): RequestBody<B> {
  return { schema, compile: (ajv) => makeParser(ajv.compile<B>(schema), schema) };
}

/** As `requestBody`, for a route that once took none: clients that send none go on. */
export function optionalBody<B>(schema: JsonSchema<B>): RequestBody<B> {
  return { ...requestBody(schema), isOptional: true };
}

/** A multipart/form-data body: the fields of `schema`, and then a file. */
export function fileForm<B extends object>(schema: JsonSchema<B>): RequestBody<B & { file: ArrivingFile }> {
  const { properties, required } = schema;
  const file = { type: 'string', format: 'binary', description: 'The last part of the form' };
  const shown = {
    ...schema,
    properties: { ...Object(properties), file },
    required: [...(Array.isArray(required) ? required : []), 'file'],
  };
  return {
    schema: shownAs(schema, shown),
    isFileForm: true,
    compile(ajv) {
      const parse = makeParser(ajv.compile<B>(schema), schema, 'Field required, before the file');
      return (form) => parseForm(form, parse);
    },
  };
}

function parseForm<B extends object>(
  form: unknown,
  parse: (value: unknown) => B,
): B & { file: ArrivingFile } {
  if (!(form instanceof FileForm)) throw new Error('a form that was not opened');
  const { fields, file } = form;
  const names = [...fields.keys()];
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw fieldFault(['body', repeated], 'Field must not be repeated');
  const parsed = parse(Object.fromEntries(fields));
  if (file === null) throw fieldFault(['body', 'file'], 'Field required', 'missing');
  return { ...parsed, file };
}

function makeParser<B>(
  fits: ValidateFunction<B>,
  schema: JsonSchema,
  missing?: string,
): (value: unknown) => B {
  const fields = Object.keys(schema['properties'] ?? {});
  return (value) => {
    refuseLongLists(value, fields);
    if (fits(value)) return value;
    throw fault('validation', { errors: toFieldErrors(fits.errors ?? [], value, 'body', missing) });
  };
}

/**
 * [operator-interface §4] Because it reports all errors, ajv checks every item of a list, however long: too long lists, at any depth of our
 * fields, are rejected before ajv. `parseJson` has already bounded the values and the depth.
 */
function refuseLongLists(value: unknown, fields: readonly string[]): void {
  const record = asRecord(value);
  if (record === null) return;
  const errors: FieldError[] = [];
  for (const field in record)
    if (typeof record[field] === 'object' && fields.includes(field))
      noteLongLists(record[field], ['body', field], errors);
  if (errors.length > 0) throw fault('validation', { errors: errors.slice(0, maxFieldErrors) });
}

/** `place`: of the value; it is the same again afterwards. */
function noteLongLists(value: unknown, place: (string | number)[], errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length > maxListItems) {
    errors.push({ loc: [...place], ...valueError(`should have at most ${maxListItems} items`) });
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    place.push(Array.isArray(value) ? Number(key) : key);
    noteLongLists(item, place, errors);
    place.pop();
  }
}
