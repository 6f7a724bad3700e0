/** [operator-interface §2 RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST] How many concurrent requests an API key may make, and when there is no limit. */
import { expect, test } from '@jest/globals';
import { limitCallers, makeTokenBuckets } from '../../../src/http/limits/callers.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** How many of three concurrent calls of one key are accepted. */
function taken(perSecond: number, burst: number): number {
  const clock = new FakeClock();
  const limiter = limitCallers({ perSecond, burst }, (rate, atOnce) => makeTokenBuckets(rate, atOnce, clock));
  const waits = [1, 2, 3].map(() => limiter.take({ accountId: 'a', apiKeyId: 'k' }));
  return waits.filter((seconds) => seconds === 0).length;
}

test("a key's burst is accepted at once", () => {
  expect(taken(1, 2)).toBe(2);
});

test('0 in either setting turns the limit off', () => {
  expect([taken(0, 1), taken(1, 0), taken(0, 0)]).toEqual([3, 3, 3]);
});

test('a burst below one accepts one call, so that no key is locked out', () => {
  expect(taken(1, 0.5)).toBe(1);
});
