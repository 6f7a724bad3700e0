import { LRUCache } from 'lru-cache';

type Value = object | string | number | true;

/**
 * The `max` entries used last. Room is taken as entries come: given a `max` of its own, the library takes all of it at once, 3 MB and 5
 * to 20 ms for 100,000.
 */
export function lruCache<V extends Value>(
  max: number,
  options: Partial<LRUCache.Options<string, V, unknown>> = {},
): LRUCache<string, V> {
  return new LRUCache({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
