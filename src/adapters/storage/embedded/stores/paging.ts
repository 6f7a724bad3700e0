/** Pages of a list that is ordered by time and id. */
import type { Page, PageRequest } from '../../../../use-cases/ports.ts';
import { breathe } from '../reader.ts';

/** Time and id of the item after which a page starts. */
export interface Place {
  id: string;
  created_at: number;
}

export const beforeAll: Place = { id: '', created_at: -1 };
export const afterAll: Place = { id: '', created_at: Number.MAX_SAFE_INTEGER };

/** About 5 ms of reading between two turns of the event loop: a list without a limit may be long. [faults: I9] */
const rowsPerSlice = 200;

interface Listing<Row extends Place, T> {
  placeOf(cursor: string): Place | undefined;
  rows(after: Place, limit: number): Row[];
  item(row: Row): T;
}

/**
 * A page by its query. A cursor that names nothing (removed meanwhile, or another account's) starts from the beginning: an
 * item may come twice, none is missed.
 */
export async function pageOf<Row extends Place, T>(
  { limit, cursor }: PageRequest,
  start: Place,
  at: Listing<Row, T>,
): Promise<Page<T>> {
  const place = (cursor === null ? undefined : at.placeOf(cursor)) ?? start;
  // One more than asked for tells whether there is more.
  const rows = await readRows(place, limit === null ? Infinity : limit + 1, at);
  const hasMore = limit !== null && rows.length > limit;
  const shown = hasMore ? rows.slice(0, limit) : rows;
  return { items: shown.map((row) => at.item(row)), nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null };
}

async function readRows<Row extends Place, T>(
  start: Place,
  most: number,
  at: Listing<Row, T>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let place = start; ; await breathe()) {
    const wanted = Math.min(rowsPerSlice, most - found.length);
    const slice = at.rows(place, wanted);
    found.push(...slice);
    const last = slice.at(-1);
    if (last === undefined || slice.length < wanted || found.length >= most) return found;
    place = last;
  }
}
