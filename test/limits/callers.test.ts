/** [operator-interface §2 RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST] What an API key may ask at once, and when nothing is limited. */
import { expect, test } from '@jest/globals';
import { limitCallers, makeTokenBuckets } from '../../src/adapters/limits/callers.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Of three calls of one key at one time, how many get through. */
function taken(perSecond: number, burst: number): number {
  const clock = new FakeClock();
  const limiter = limitCallers({ perSecond, burst }, (rate, atOnce) => makeTokenBuckets(rate, atOnce, clock));
  const waits = [1, 2, 3].map(() => limiter.take({ accountId: 'a', apiKeyId: 'k' }));
  return waits.filter((seconds) => seconds === 0).length;
}

test('as many as its burst get through at once', () => {
  expect(taken(1, 2)).toBe(2);
});

test('0 turns the limit off, whichever of the two it is', () => {
  expect([taken(0, 1), taken(1, 0), taken(0, 0)]).toEqual([3, 3, 3]);
});

test('a burst below one lets one through: nobody is shut out for ever', () => {
  expect(taken(1, 0.5)).toBe(1);
});
