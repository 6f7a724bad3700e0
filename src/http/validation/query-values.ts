import { countCharacters } from '../../domain/messages/text.ts';
import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { valueError } from './field-errors.ts';
import { requireId } from './ids.ts';
import type { PathId } from './ids.ts';
import { notATimestamp, parseTimestamp } from './timestamp.ts';

const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Reads a boolean parameter, at most once. Throws Fault 422 `bool_type`. */
export function readFlag(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return otherwise;
  const flag = given.length === 1 ? flags.get(first.toLowerCase()) : undefined;
  if (flag === undefined)
    throw refused({ loc: ['query', name], type: 'bool_type', msg: 'Input should be a valid boolean' });
  return flag;
}

/** Reads a text of at most `most` characters, at most once; null if absent. Throws Fault 422 `string_too_long`. */
export function readText(query: URLSearchParams, name: string, most: number): string | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  if (given.length > 1) throw refused({ loc: ['query', name], ...valueError('must be given only once') });
  if (countCharacters(first) <= most) return first;
  const msg = `String should have at most ${most} characters`;
  throw refused({ loc: ['query', name], type: 'string_too_long', msg });
}

/** Reads an upper-case word of upstream's, known or not; null if absent. Throws Fault 422. */
export function readWord(query: URLSearchParams, name: string): string | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  if (given.length > 1 || !/^[A-Z][A-Z0-9_]{0,63}$/.test(first))
    throw refused({ loc: ['query', name], ...valueError('must be one word in upper case, like APPROVED') });
  return first;
}

/** Reads a time, at most once, as Unix ms: ISO 8601 with a time zone; null if absent. Throws Fault 422. */
export function readTime(query: URLSearchParams, name: string): number | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  const at = first.length > maxTime ? null : parseTimestamp(first.replace(lostPlus, '+$1'));
  if (given.length > 1 || at === null) throw refused({ loc: ['query', name], ...valueError(notATimestamp) });
  return at;
}

const maxTime = 40;
/** A plus sign that was not percent-encoded is decoded as a space. */
const lostPlus = / (\d\d:?\d\d)$/;

/** Reads one of our ids, at most once; null if absent. Throws Fault 422, and 404 for a text that is not shaped like an id. */
export function readId(query: URLSearchParams, name: PathId): string | null {
  const given = query.getAll(name);
  if (given.length > 1) throw refused({ loc: ['query', name], ...valueError('must be given only once') });
  return given.length === 0 ? null : requireId(name, given[0]);
}

function refused(error: FieldError): Error {
  return fault('validation', { errors: [error] });
}

/** Unix ms of a timestamp that its schema has checked; null and undefined stay as they are. */
export function parseTime(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? parseTimestamp(text) : text;
}
