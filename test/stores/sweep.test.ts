/** [faults: I9] Between two slices of a sweep the store serves the sends. */
import { expect, test } from '@jest/globals';
import { sweep } from '../../src/storage/sweep.ts';
import { FakeClock, promisesSettled } from '../support/fake-clock.ts';

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

test('so is the last one, because the sweep of another channel may follow', async () => {
  const clock = new FakeClock();
  const swept = sweep(slices(clock, 1, 4).next, undefined, clock);
  await promisesSettled();
  expect(clock.untilNext).toBe(8);
  await clock.pass(8);
  expect(await swept).toBe(5);
});

test('a pause is at most a second, however long the slice waited for the store', async () => {
  const clock = new FakeClock();
  const swept = sweep(slices(clock, 1, 20_000).next, undefined, clock);
  await promisesSettled();
  expect(clock.untilNext).toBe(1_000);
  await clock.pass(1_000);
  expect(await swept).toBe(5);
});

test('a slice that finds nothing ends the sweep without a pause', async () => {
  const clock = new FakeClock();
  const nothing = async () => {
    clock.advance(4);
    return { dropped: 0, isLast: true };
  };
  const swept = sweep(nothing, undefined, clock);
  await promisesSettled();
  expect(clock.pending).toBe(0);
  expect(await swept).toBe(0);
});

test('a stop ends the pause, and no slice begins after it', async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const { began, next } = slices(clock, 3, 4);
  const swept = sweep(next, stopping.signal, clock);
  await clock.pass(2);
  stopping.abort();
  expect(clock.pending).toBe(0);
  expect([await swept, began]).toEqual([5, [0]]);
});

test('a slice during which the stop came is not followed by a pause', async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const { began, next } = slices(clock, 3, 4);
  const stopped = async () => {
    stopping.abort();
    return next();
  };
  const swept = sweep(stopped, stopping.signal, clock);
  await promisesSettled();
  expect(clock.pending).toBe(0);
  expect([await swept, began]).toEqual([5, [0]]);
});
