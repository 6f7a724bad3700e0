/** [faults: I9] Between two slices of a sweep the store serves the sends. */
import { expect, test } from '@jest/globals';
import { sweep } from '../../src/adapters/storage/sweep.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Slices of `ms` that drop 5 items each; the times at which each began. */
function slices(clock: FakeClock, count: number, ms: number) {
  const began: number[] = [];
  return {
    began,
    next: async () => {
      began.push(clock.monotonic());
      clock.advance(ms);
      return { dropped: 5, isLast: began.length === count };
    },
  };
}

test('a slice is followed by a pause of twice its duration', async () => {
  const clock = new FakeClock();
  const { began, next } = slices(clock, 3, 4);
  const swept = sweep(next, undefined, clock);
  await clock.pass(40);
  expect(await swept).toBe(15);
  expect(began).toEqual([0, 12, 24]);
});

test('no slice begins after the stop', async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const { began, next } = slices(clock, 3, 4);
  const swept = sweep(next, stopping.signal, clock);
  await clock.pass(6);
  stopping.abort();
  await clock.pass(30);
  expect([await swept, began]).toEqual([5, [0]]);
});
