import { fault, fieldFault, valueError, valueFault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import type { PageRequest, PagePosition } from '../../kernel/paging.ts';
import { countCharacters } from '../../rules/messages/text.ts';
import { notAmong } from './field-errors.ts';
import { requireId } from './ids.ts';
import type { PathId } from './ids.ts';
import { notATimestamp, parseTimestamp } from './timestamp.ts';

/** [operator-interface §4, pagination] limit 1–1000 */
const maxPerPage = 1000;

/** The query of a request target. Express' own parser is off, because most requests have no query. */
export function parseQuery(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
}

/** Reads `limit` and `cursor`, each at most once. Throws Fault 422 with `loc` `["query", …]`. */
export function readPage(query: URLSearchParams): PageRequest {
  const limits = query.getAll('limit');
  const cursors = query.getAll('cursor').map(parseCursor);
  const errors: FieldError[] = [];
  if (!limits.every(isLimit) || limits.length > 1) {
    errors.push({ loc: ['query', 'limit'], ...valueError(`must be one integer from 1 to ${maxPerPage}`) });
  }
  if (cursors.includes(null) || cursors.length > 1) {
    errors.push({
      loc: ['query', 'cursor'],
      ...valueError('must be the next_cursor of an earlier response'),
    });
  }
  if (errors.length > 0) throw fault('validation', { errors });
  return { limit: limits[0] === undefined ? null : Number(limits[0]), cursor: cursors[0] ?? null };
}

function isLimit(text: string): boolean {
  return /^[0-9]{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= maxPerPage;
}

/** Opaque to clients. It holds the position itself, so that the next page is right even if its last item was removed. */
function writeCursor({ createdAt, id }: PagePosition): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** Returns null for any text that `writeCursor` would not have written exactly so. */
function parseCursor(cursor: string): PagePosition | null {
  if (!/^[\w-]{1,200}$/.test(cursor)) return null;
  const [, at, id] =
    /^([0-9]{1,15})\.([\x21-\x7e]{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at === undefined || id === undefined) return null;
  const place = { createdAt: Number(at), id };
  return writeCursor(place) === cursor ? place : null;
}

/** `next_cursor` in lists that are paged only on request. [operator-interface §4] */
export function pagingFields(page: PageRequest, next: PagePosition | null): { next_cursor?: string | null } {
  return page.limit === null && page.cursor === null ? {} : cursorFields(next);
}

/** `next_cursor` in lists that are always paged. */
export function cursorFields(next: PagePosition | null): { next_cursor: string | null } {
  return { next_cursor: next === null ? null : writeCursor(next) };
}

/** Reads parameters that allow one word of a list, each at most once; null if absent. Throws Fault 422 with `loc` `["query", …]`. */
export function readChoices<C extends Record<string, readonly string[]>>(
  query: URLSearchParams,
  choices: C,
): { [K in keyof C]: C[K][number] | null } {
  const errors: FieldError[] = [];
  const chosen: Partial<{ [K in keyof C]: C[K][number] | null }> = {};
  for (const name in choices) {
    const words: C[typeof name] = choices[name];
    const given = query.getAll(name);
    chosen[name] = words.find((word) => word === given[0]) ?? null;
    const isOne = given.length === 0 || (given.length === 1 && chosen[name] !== null);
    if (!isOne) errors.push({ loc: ['query', name], ...notAmong(words) });
  }
  if (errors.length > 0) throw fault('validation', { errors });
  // The loop sets every name, which the compiler can't prove.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return chosen as { [K in keyof C]: C[K][number] | null };
}

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
  if (flag === undefined) throw fieldFault(['query', name], 'Input should be a valid boolean', 'bool_type');
  return flag;
}

/** Reads a text of at most `most` characters, at most once; null if absent. Throws Fault 422 `string_too_long`. */
export function readText(query: URLSearchParams, name: string, most: number): string | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  if (given.length > 1) throw valueFault(['query', name], 'must be given only once');
  if (countCharacters(first) <= most) return first;
  throw fieldFault(['query', name], `String should have at most ${most} characters`, 'string_too_long');
}

/** Reads an upper-case word of upstream's, known or not; null if absent. Throws Fault 422. */
export function readWord(query: URLSearchParams, name: string): string | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  if (given.length > 1 || !/^[A-Z][A-Z0-9_]{0,63}$/.test(first))
    throw valueFault(['query', name], 'must be one word in upper case, like APPROVED');
  return first;
}

/** Reads a time, at most once, as Unix ms: ISO 8601 with a time zone; null if absent. Throws Fault 422. */
export function readTime(query: URLSearchParams, name: string): number | null {
  const given = query.getAll(name);
  const [first] = given;
  if (first === undefined) return null;
  const at = first.length > maxTime ? null : parseTimestamp(first.replace(lostPlus, '+$1'));
  if (given.length > 1 || at === null) throw valueFault(['query', name], notATimestamp);
  return at;
}

const maxTime = 40;
/** A plus sign that was not percent-encoded is decoded as a space. */
const lostPlus = / (\d\d:?\d\d)$/;

/** Reads one of our ids, at most once; null if absent. Throws Fault 422, and 404 for a text that is not shaped like an id. */
export function readId(query: URLSearchParams, name: PathId): string | null {
  const given = query.getAll(name);
  if (given.length > 1) throw valueFault(['query', name], 'must be given only once');
  return given.length === 0 ? null : requireId(name, given[0]);
}

/** Unix ms of a timestamp that its schema has checked; null and undefined stay as they are. */
export function parseTime(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? parseTimestamp(text) : text;
}
