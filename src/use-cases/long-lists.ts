/** Lists that may be asked for whole: nearly all are short, some have thousands of items. */
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
