/** Pages of a list that is ordered by time and id. */
import type { Page, PageRequest } from '../../../../use-cases/ports.ts';

/** Time and id of the item after which a page starts. */
export type Place = [createdAt: number, id: string];

/**
 * A page from its query, which gets one row more than asked for: whether there is more costs nothing else. SQLite reads
 * `limit -1` as no limit. A cursor that names nothing (removed meanwhile, or another account's) starts from the
 * beginning: an item may come twice, none is missed.
 */
export function pageOf<Row extends { id: string }, T>(
  { limit, cursor }: PageRequest,
  start: Place,
  at: {
    placeOf(cursor: string): Place | undefined;
    rows(place: Place, limit: number): Row[];
    item(row: Row): T;
  },
): Page<T> {
  const place = (cursor === null ? undefined : at.placeOf(cursor)) ?? start;
  const rows = at.rows(place, limit === null ? -1 : limit + 1);
  const hasMore = limit !== null && rows.length > limit;
  const shown = hasMore ? rows.slice(0, limit) : rows;
  return { items: shown.map((row) => at.item(row)), nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null };
}

export const beforeAll: Place = [-1, ''];
export const afterAll: Place = [Number.MAX_SAFE_INTEGER, ''];
