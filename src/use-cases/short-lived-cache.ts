import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';

interface Limits {
  max: number;
  ttlMs: number;
  clock: Clock;
}

/**
 * The `max` entries used last, each for `ttlMs` by the service's monotonic clock: `lru-cache`, with what we use of it. It takes its room
 * for all of them at once, half a megabyte for 10,000: with the first entry, so that a start need not wait for it.
 */
export class ShortLivedCache<V extends object | string | true> {
  readonly #limits: Limits;
  #entries: LRUCache<string, V> | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries === null ? 0 : this.#entries.size;
  }

  /** undefined: not known, or no longer fresh. */
  get(key: string): V | undefined {
    return this.#entries?.get(key);
  }

  set(key: string, value: V): void {
    this.#entries ??= entriesWithin(this.#limits);
    this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries?.delete(key);
  }

  /** Looks at every entry: for rare events only. */
  deleteWhere(matches: (value: V) => boolean): void {
    if (this.#entries === null) return;
    for (const [key, value] of this.#entries.entries()) if (matches(value)) this.#entries.delete(key);
  }
}

function entriesWithin<V extends object | string | true>({ max, ttlMs, clock }: Limits): LRUCache<string, V> {
  return new LRUCache({
    max,
    ttl: ttlMs - 1, // at its end an entry is over; to the library it is still fresh then
    ttlResolution: 0, // else the library sets a timer of its own
    perf: { now: () => clock.monotonic() + 1 }, // it takes a start of 0 for "no end"
  });
}
