import type { Clock } from './clock.ts';
import { lruCache } from './lru-cache.ts';

interface Limits {
  max: number;
  ttlMs: number;
  clock: Clock;
}

/** LRU cache of `max` entries, each valid for `ttlMs` by the service's monotonic clock; a thin wrapper of `lru-cache`. */
export class ShortLivedCache<V extends object | string | true> {
  readonly #entries: ReturnType<typeof lruCache<V>>;
  readonly #keeps: boolean;

  constructor({ max, ttlMs, clock }: Limits) {
    const ttl = ttlMs - 1; // an entry expires at `ttlMs` exactly; the library still serves it then
    this.#keeps = ttl > 0; // the library takes 0 as "never expires"
    this.#entries = lruCache<V>(max, {
      ttl: Math.max(1, ttl),
      ttlResolution: 0, // otherwise the library sets a timer of its own
      perf: { now: () => clock.monotonic() + 1 }, // the library takes a start time of 0 as "never expires"
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** undefined: not cached, or expired. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    if (this.#keeps) this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Scans every entry: for rare events only. */
  deleteWhere(matches: (value: V) => boolean): void {
    for (const [key, value] of this.#entries.entries()) if (matches(value)) this.#entries.delete(key);
  }
}
