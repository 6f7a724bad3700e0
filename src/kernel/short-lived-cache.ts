import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

interface Limits {
  max: number;
  ttlMs: number;
  clock: Clock;
}

/** `lru-cache` of `max` entries, each valid for `ttlMs` by the service's monotonic clock, however often it is used. */
export class ShortLivedCache<V extends object | string | true> extends LRUCache<string, V> {
  constructor({ max, ttlMs, clock }: Limits) {
    const ttl = ttlMs - 1; // an entry expires at `ttlMs` exactly; the library still serves it then
    super({
      maxSize: max, // see `lruCache`
      sizeCalculation: () => (ttl > 0 ? 1 : max + 1), // what expires at once never fits: the library takes 0 as "never expires"
      ttl: Math.max(1, ttl),
      ttlResolution: 0, // otherwise the library sets a timer of its own
      perf: { now: () => clock.monotonic() + 1 }, // the library takes a start time of 0 as "never expires"
    });
  }
}
