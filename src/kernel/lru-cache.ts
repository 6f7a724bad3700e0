import { LRUCache } from 'lru-cache';

type Value = object | string | number | true;

/**
 * The `max` most recently used entries. Memory grows with the entries: with the library's own `max` option it is allocated at once, 3 MB
 * and 5 to 20 ms for 100,000 entries.
 */
export function lruCache<V extends Value>(
  max: number,
  options: Partial<LRUCache.Options<string, V, unknown>> = {},
): LRUCache<string, V> {
  return new LRUCache({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
