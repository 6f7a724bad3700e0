import { expect, test } from '@jest/globals';
import { lruCache } from '../../src/kernel/lru-cache.ts';

test('the most recently used entries are kept, up to the bound', () => {
  const cache = lruCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  cache.set('a', 4);
  cache.delete('c');
  expect([cache.size, cache.get('a'), cache.get('c')]).toEqual([1, 4, undefined]);
});
