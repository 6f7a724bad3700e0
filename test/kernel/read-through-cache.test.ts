import { expect, test } from '@jest/globals';
import { ReadThroughCache } from '../../src/kernel/read-through-cache.ts';
import { FakeClock } from '../support/fake-clock.ts';

interface Owned {
  owner: string;
}

const cacheOf = (max: number) =>
  new ReadThroughCache<Owned, null>({ max, ttlMs: 1_000, clock: new FakeClock() });

/** A look-up that ends when the test says so. */
function slow() {
  let answer = (_found: Owned | null): void => undefined;
  const found = new Promise<Owned | null>((resolve) => (answer = resolve));
  return { answer, lookUp: () => found };
}

test('a refusal is null for its caller, also if the entry is evicted during the look-up', async () => {
  const cache = cacheOf(10);
  const { answer, lookUp } = slow();
  const found = cache.find('a', lookUp);
  cache.forget('a');
  answer(null);
  expect(await found).toBeNull();
});

test('an eviction by value reaches look-ups under way: neither cached nor shared with later callers', async () => {
  const cache = cacheOf(10);
  const { answer, lookUp } = slow();
  const before = cache.find('a', lookUp);
  cache.forgetWhere(({ owner }) => owner === 'gone');
  const after = cache.find('a', async () => ({ owner: 'new' }));
  expect(await after).toEqual({ owner: 'new' });
  answer({ owner: 'gone' });
  expect([await before, cache.get('a')]).toEqual([{ owner: 'gone' }, { owner: 'new' }]);
});

test('look-ups that find nothing evict no entry, however many are under way', async () => {
  const cache = cacheOf(2);
  for (const key of ['a', 'b']) await cache.find(key, async () => ({ owner: key }));
  const { answer, lookUp } = slow();
  const wrong = ['x', 'y', 'z'].map((key) => cache.find(key, lookUp));
  answer(null);
  expect(await Promise.all(wrong)).toEqual([null, null, null]);
  expect([cache.get('a'), cache.get('b')]).toEqual([{ owner: 'a' }, { owner: 'b' }]);
});

test('a look-up that fails rejects for all who share it, and the next caller looks up anew', async () => {
  const cache = cacheOf(10);
  let asked = 0;
  const failing = async (): Promise<null> => {
    asked += 1;
    throw new Error('store away');
  };
  const both = [cache.find('a', failing), cache.find('a', failing)];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(cache.find('a', failing)).rejects.toThrow('store away');
  expect(asked).toBe(2);
});
