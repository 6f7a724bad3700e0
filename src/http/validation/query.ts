import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import type { PageRequest } from '../../use-cases/ports.ts';
import { valueError } from './field-errors.ts';

/** [operator-interface §4, pagination] limit 1–1000 */
const mostPerPage = 1000;

/** The query of a request target; Express' own parser is off, most requests have none. */
export function queryOf(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
}

/** `limit` and `cursor`, each at most once. Throws Fault 422 with `loc` `["query", …]`. */
export function readPage(query: URLSearchParams): PageRequest {
  const limits = query.getAll('limit');
  const cursors = query.getAll('cursor');
  const errors: FieldError[] = [];
  if (!limits.every(isLimit) || limits.length > 1) {
    errors.push({ loc: ['query', 'limit'], ...valueError(`must be one integer from 1 to ${mostPerPage}`) });
  }
  if (!cursors.every(isCursor) || cursors.length > 1) {
    errors.push({ loc: ['query', 'cursor'], ...valueError('must be a next_cursor of an earlier answer') });
  }
  if (errors.length > 0) throw fault('validation', { errors });
  return { limit: limits[0] === undefined ? null : Number(limits[0]), cursor: cursors[0] ?? null };
}

function isLimit(text: string): boolean {
  return /^[0-9]{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= mostPerPage;
}

/** An id, for the client opaque. */
function isCursor(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text);
}

/** Lists carry `next_cursor` only for clients that page. [operator-interface §4] */
export function pagingFields(page: PageRequest, nextCursor: string | null): { next_cursor?: string | null } {
  return page.limit === null && page.cursor === null ? {} : { next_cursor: nextCursor };
}
