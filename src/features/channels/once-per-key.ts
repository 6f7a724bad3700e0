import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';

/** What upstream refuses, it refuses at each call: one look for each key is enough for `ttlMs`. */
export class OncePerKey {
  readonly #done: ShortLivedCache<true>;

  constructor(clock: Clock, ttlMs: number) {
    this.#done = new ShortLivedCache({ max: 10_000, ttlMs, clock });
  }

  /** Never rejects: work that failed is done again at the next call. */
  async run(key: string, work: () => Promise<unknown>, failed: (error: Error) => void): Promise<void> {
    if (this.#done.get(key) === true) return;
    this.#done.set(key, true);
    try {
      await work();
    } catch (thrown) {
      this.#done.delete(key);
      failed(asError(thrown));
    }
  }
}
