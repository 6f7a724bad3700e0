/** Pages of a list that is ordered by time and id. */
import type { Page, PageRequest, PagePosition } from '../../../../use-cases/ports/paging.ts';
import { yieldToLoop } from '../reader.ts';

export const beforeAll: PagePosition = { createdAt: -1, id: '' };
export const afterAll: PagePosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** About 5 ms of reading between two turns of the event loop: a list without a limit may be long. [faults: I9] */
const rowsPerSlice = 200;

/** The query of a list: what comes after a place, at most `limit`. */
type Slice<T> = (after: PagePosition, limit: number) => T[];

/** A page by its query. */
export async function readPage<T extends PagePosition>(
  { limit, cursor }: PageRequest,
  start: PagePosition,
  slice: Slice<T>,
  sliceRows = rowsPerSlice,
): Promise<Page<T>> {
  // One more than asked for tells whether there is more.
  const found = await readAll(cursor ?? start, limit === null ? Infinity : limit + 1, slice, sliceRows);
  const hasMore = limit !== null && found.length > limit;
  const items = hasMore ? found.slice(0, limit) : found;
  const last = hasMore ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : { createdAt: last.createdAt, id: last.id } };
}

async function readAll<T extends PagePosition>(
  start: PagePosition,
  max: number,
  read: Slice<T>,
  sliceRows: number,
): Promise<T[]> {
  const found: T[] = [];
  for (let place: PagePosition = start; ; await yieldToLoop()) {
    const wanted = Math.min(sliceRows, max - found.length);
    const slice = read(place, wanted);
    found.push(...slice);
    const last = slice.at(-1);
    if (last === undefined || slice.length < wanted || found.length >= max) return found;
    place = last;
  }
}
