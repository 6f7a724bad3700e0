/** Pages of a list that is ordered by time and id. */
import type { Page, PageRequest, Place } from '../../../../use-cases/ports/paging.ts';
import { breathe } from '../reader.ts';

interface Listed {
  id: string;
  created_at: number;
}

export const beforeAll: Place = { createdAt: -1, id: '' };
export const afterAll: Place = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** About 5 ms of reading between two turns of the event loop: a list without a limit may be long. [faults: I9] */
const rowsPerSlice = 200;

interface Listing<Row extends Listed, T> {
  rows(after: Place, limit: number): Row[];
  item(row: Row): T;
}

/** A page by its query. */
export async function pageOf<Row extends Listed, T>(
  { limit, cursor }: PageRequest,
  start: Place,
  at: Listing<Row, T>,
): Promise<Page<T>> {
  // One more than asked for tells whether there is more.
  const rows = await readRows(cursor ?? start, limit === null ? Infinity : limit + 1, at);
  const hasMore = limit !== null && rows.length > limit;
  const shown = hasMore ? rows.slice(0, limit) : rows;
  const last = hasMore ? shown.at(-1) : undefined;
  return { items: shown.map((row) => at.item(row)), nextCursor: last === undefined ? null : placeOf(last) };
}

function placeOf({ created_at: createdAt, id }: Listed): Place {
  return { createdAt, id };
}

async function readRows<Row extends Listed, T>(
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
    place = placeOf(last);
  }
}
