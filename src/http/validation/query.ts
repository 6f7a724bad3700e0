import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import type { PageRequest, PagePosition } from '../../use-cases/ports/paging.ts';
import { notAmong, valueError } from './field-errors.ts';

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
