/** Lists that are read whole or iterated completely: nearly all are short, some have thousands of items. */
import type { UseCaseDeps } from './deps.ts';
import type { Page, PageRequest } from './ports/paging.ts';

/** Takes about a millisecond. */
const shortListLength = 50;

/**
 * Reads a short list at once. A long list waits for its turn among the searches of its account: two hundred concurrent reads, of three
 * thousand items each, would put two hundred slices between two event-loop turns. Throws 429 if too many wait. [faults: 179]
 */
export async function readQueued<T>(
  { searches }: Pick<UseCaseDeps, 'searches'>,
  accountId: string,
  { limit, cursor }: PageRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const first = await read({ limit: Math.min(limit ?? shortListLength, shortListLength), cursor });
  if (first.nextCursor === null || first.items.length === limit) return first;
  return searches.run(accountId, () => read({ limit, cursor }));
}

const itemsPerPage = 200;

/** Iterates a list in the order of ids, page by page: concurrent inserts and deletes never make it skip other items. */
export async function* readById<T extends string | { id: string }>(
  readAfter: (id: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after = ''; ;) {
    const page = await readAfter(after, itemsPerPage);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < itemsPerPage) return;
    after = typeof last === 'string' ? last : last.id;
  }
}
