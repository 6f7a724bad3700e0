/** Converts ajv's errors to field errors with the wording of Pydantic v2. [operator-interface §4, 422 `type` values] */
import type { ErrorObject } from 'ajv';
import { maxFieldErrors, valueError } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';

type Loc = FieldError['loc'];
type Said = Omit<FieldError, 'loc'>;

const typeSentences: Record<string, Said> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  object: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  integer: valueError('must be a whole number'),
  number: valueError('must be a number'),
};

/** `root` is the part of the request that holds the value: `body` or `query`. Returns one error per location; `missing` is said of absent fields. */
export function toFieldErrors(
  errors: readonly ErrorObject[],
  value: unknown,
  root: string,
  missing = 'Field required',
): FieldError[] {
  const byPlace = new Map<string, FieldError>();
  for (const error of errors) {
    if (isOfAlternatives(error)) continue;
    const found = { loc: [root, ...locate(error, value)], ...said(error, missing) };
    const place = JSON.stringify(found.loc);
    // A value of a wrong type fails its enum as well: Pydantic then reports the enum only.
    if (!byPlace.has(place) || found.type === 'enum') byPlace.set(place, found);
    if (byPlace.size >= maxFieldErrors) break;
  }
  return [...byPlace.values()];
}

/**
 * Left out, because the error of the value itself stands beside it: which alternative failed, and that it must be null, which helps nobody.
 */
function isOfAlternatives({ keyword, params }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'if' || (keyword === 'type' && params['type'] === 'null');
}

function said(error: ErrorObject, missing: string): Said {
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return { type: 'missing', msg: missing };
    case 'type':
      return typeSentences[wantedType(params['type'])] ?? valueError('has the wrong type');
    case 'minLength':
      return {
        type: 'string_too_short',
        msg: `String should have at least ${counted(params['limit'], 'character')}`,
      };
    case 'minItems':
      return { type: 'too_short', msg: `List should have at least ${counted(params['limit'], 'item')}` };
    case 'maxLength':
      return {
        type: 'string_too_long',
        msg: `String should have at most ${counted(params['limit'], 'character')}`,
      };
    case 'pattern':
      return {
        type: 'string_pattern_mismatch',
        msg: `String should match pattern '${String(params['pattern'])}'`,
      };
    case 'enum':
      return notAmong(Array.isArray(params['allowedValues']) ? params['allowedValues'] : []);
    default:
      return valueError(error.message ?? 'is not acceptable');
  }
}

function counted(limit: unknown, what: 'character' | 'item'): string {
  return limit === 1 ? `1 ${what}` : `${String(limit)} ${what}s`;
}

function wantedType(type: unknown): string {
  const types: unknown[] = Array.isArray(type) ? type : String(type).split(',');
  return String(types.find((one) => one !== 'null'));
}

/** The error of a word that is not allowed; `allowed` may contain null. */
export function notAmong(allowed: readonly unknown[]): Said {
  const words = allowed.flatMap((word) => (typeof word === 'string' ? [`'${word}'`] : []));
  const last = words.pop() ?? '';
  const list = words.length === 0 ? last : `${words.join(', ')} or ${last}`;
  return { type: 'enum', msg: `Input should be ${list}` };
}

function locate(error: ErrorObject, value: unknown): Loc {
  const loc = parsePointer(error.instancePath, value);
  return error.keyword === 'required' ? [...loc, String(error.params['missingProperty'])] : loc;
}

/** A JSON pointer as a list; an index of an array is a number, as in Pydantic. */
function parsePointer(pointer: string, value: unknown): Loc {
  const loc: Loc = [];
  let at = value;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    loc.push(Array.isArray(at) ? Number(key) : key);
    at = readChild(at, key);
  }
  return loc;
}

function readChild(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}
