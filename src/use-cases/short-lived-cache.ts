import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';

interface Limits {
  max: number;
  ttlMs: number;
  clock: Clock;
}

/** The `max` entries used last, each for `ttlMs` by the service's monotonic clock: `lru-cache`, with what we use of it. */
export class ShortLivedCache<V extends object | string | true> {
  readonly #entries: ReturnType<typeof lruCache<V>>;
  readonly #keeps: boolean;

  constructor({ max, ttlMs, clock }: Limits) {
    const ttl = ttlMs - 1; // at its end an entry is over; to the library it is still fresh then
    this.#keeps = ttl > 0; // the library takes 0 for "no end"
    this.#entries = lruCache<V>(max, {
      ttl: Math.max(1, ttl),
      ttlResolution: 0, // else the library sets a timer of its own
      perf: { now: () => clock.monotonic() + 1 }, // it takes a start of 0 for "no end"
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** undefined: not known, or no longer fresh. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    if (this.#keeps) this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Looks at every entry: for rare events only. */
  deleteWhere(matches: (value: V) => boolean): void {
    for (const [key, value] of this.#entries.entries()) if (matches(value)) this.#entries.delete(key);
  }
}
