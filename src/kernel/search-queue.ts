import { fault } from './faults.ts';
import { Semaphore } from './semaphore.ts';
import type { Page, PageRequest } from './paging.ts';

/** Searches of all accounts that run concurrently; beside them one search of each account may wait. */
const atOnce = 8;
const maxWaiting = 1_000;
/** Per account. A search takes some 100 ms: only a program that does not wait for answers has more open at once. */
const maxWaitingOfAccount = 32;

/**
 * Queue for reads that scan much data of an account. Each read yields to the event loop between slices, but a hundred concurrent reads
 * put a hundred slices between two turns: so reads of one account run one by one, and only a few accounts' at once. [faults: 179]
 */
export class SearchQueue {
  readonly #places = new Semaphore(atOnce, maxWaiting);
  readonly #ofAccount = new Map<string, Semaphore>();

  /** Must not be nested within a search of the same account. Throws Fault 429 if too many of the account wait, 503 if too many overall. */
  async run<T>(accountId: string, search: () => Promise<T>): Promise<T> {
    const line = this.#ofAccount.get(accountId) ?? new Semaphore(1, maxWaitingOfAccount);
    this.#ofAccount.set(accountId, line);
    if (!(await line.take())) throw fault('rate_limited', { retryAfter: 1 });
    try {
      return await this.#inPlace(search);
    } finally {
      line.free();
      if (line.taken === 0) this.#ofAccount.delete(accountId);
    }
  }

  async #inPlace<T>(search: () => Promise<T>): Promise<T> {
    if (!(await this.#places.take())) throw fault('overloaded', { retryAfter: 1 });
    try {
      return await search();
    } finally {
      this.#places.free();
    }
  }
}

/** Takes about a millisecond. */
const shortListLength = 50;

/**
 * Reads a short list at once. A long list waits for its turn among the searches of its account: two hundred concurrent reads, of three
 * thousand items each, would put two hundred slices between two event-loop turns. Throws 429 if too many wait. [faults: 179]
 */
export async function readQueued<T>(
  { searches }: { searches: SearchQueue },
  accountId: string,
  { limit, cursor }: PageRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const first = await read({ limit: Math.min(limit ?? shortListLength, shortListLength), cursor });
  if (first.nextCursor === null || first.items.length === limit) return first;
  return searches.run(accountId, () => read({ limit, cursor }));
}
