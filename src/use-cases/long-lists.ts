/** Lists that may be asked for whole, or are gone through from end to end: nearly all are short, some have thousands of items. */
import type { UseCaseDeps } from './deps.ts';
import type { Page, PageRequest } from './ports/paging.ts';

/** A millisecond of reading. */
const few = 50;

/**
 * What is short is read at once. A long one waits for its turn among the searches of its account: two hundred at once, of three thousand
 * items each, were two hundred slices between two turns of the event loop. Throws 429 where too many wait. [faults: 179]
 */
export async function readInTurn<T>(
  { searches }: Pick<UseCaseDeps, 'searches'>,
  accountId: string,
  { limit, cursor }: PageRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const first = await read({ limit: Math.min(limit ?? few, few), cursor });
  if (first.nextCursor === null || first.items.length === limit) return first;
  return searches.run(accountId, () => read({ limit, cursor }));
}

const itemsPerPage = 200;

/** All of a list in the order of its ids, page by page: of what comes and goes meanwhile nothing else is passed over. */
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
