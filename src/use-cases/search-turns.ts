import { fault } from '../kernel/faults.ts';
import { Semaphore } from '../kernel/semaphore.ts';

/** Of all accounts together; who waits beside them is one of each account. */
const atOnce = 8;
const maxWaiting = 1_000;
/** Of an account. A search takes some 100 ms: who asks for more at once has a program that does not wait for answers. */
const maxWaitingOfAccount = 32;

/**
 * Reads that look through what an account has a lot of. Each lets the event loop turn between slices, but a hundred at once are a hundred
 * slices between two turns: so those of an account take turns, and no more than a few accounts' run beside each other. [faults: 179]
 */
export class SearchTurns {
  readonly #places = new Semaphore(atOnce, maxWaiting);
  readonly #ofAccount = new Map<string, Semaphore>();

  /** Not within another of the same account. Throws Fault 429 and 503 where too many wait. */
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
