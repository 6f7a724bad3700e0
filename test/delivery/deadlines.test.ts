/** One timer for any number of attempts. [spec: Delivery and retry; operator-interface §4: WEBHOOK_TIMEOUT_MS] */
import { beforeEach, expect, test } from '@jest/globals';
import { Deadlines } from '../../src/delivery/deadlines.ts';
import type { Expiring } from '../../src/delivery/deadlines.ts';
import { FakeClock } from '../support/fake-clock.ts';

let clock: FakeClock;
let deadlines: Deadlines;
/** Which attempts expired, and when. */
let expired: [string, number][];

beforeEach(() => {
  [clock, expired] = [new FakeClock(), []];
  deadlines = new Deadlines(clock);
});

/** Ends as an attempt does: it removes itself. */
function begin(name: string, withinMs: number): Expiring {
  const entry: Expiring = {
    expiresAt: clock.monotonic() + withinMs,
    earlier: null,
    later: null,
    expire: () => {
      expired.push([name, clock.monotonic()]);
      deadlines.remove(entry);
    },
  };
  deadlines.add(entry);
  return entry;
}

test('each expires at its own time, with one timer set', () => {
  for (const name of ['one', 'two', 'three']) {
    begin(name, 1_000);
    clock.advance(100);
  }
  expect(clock.pending).toBe(1);
  clock.advance(699);
  expect(expired).toEqual([]);
  clock.advance(1_000);
  expect([expired, clock.pending]).toEqual([[['one', 1_000], ['two', 1_100], ['three', 1_200]], 0]); // oxfmt-ignore
});

test('those of one moment expire together', () => {
  for (const name of ['one', 'two']) begin(name, 1_000);
  clock.advance(1_000);
  expect(expired).toEqual([['one', 1_000], ['two', 1_000]]); // oxfmt-ignore
});

test('a fraction of a millisecond is waited for', () => {
  clock.advance(0.25);
  begin('one', 10.5);
  clock.advance(10.75);
  expect(expired).toEqual([]);
  clock.advance(0.25);
  expect(expired).toEqual([['one', 11.25]]);
});

test.each([
  ['first', 0, ['two', 'three']],
  ['one between', 1, ['one', 'three']],
  ['last', 2, ['one', 'two']],
])('the %s attempt that has ended does not expire, and delays no other', (_words, which, left) => {
  const entries = ['one', 'two', 'three'].map((name) => begin(name, 1_000));
  const gone = entries[which];
  if (gone !== undefined) deadlines.remove(gone);
  expect([gone?.earlier, gone?.later]).toEqual([null, null]);
  begin('four', 1_000);
  clock.advance(1_000);
  expect(expired.map(([name]) => name)).toEqual([...left, 'four']);
});

test('after all have ended the next one sets a new timer', () => {
  deadlines.remove(begin('one', 1_000));
  clock.advance(1_000);
  expect([expired, clock.pending]).toEqual([[], 0]);
  begin('two', 1_000);
  clock.advance(1_000);
  expect(expired).toEqual([['two', 2_000]]);
});

test('a timer that fires for an ended attempt is set for the next one', () => {
  const one = begin('one', 1_000);
  clock.advance(400);
  begin('two', 1_000);
  deadlines.remove(one);
  clock.advance(600);
  expect([expired, clock.untilNext]).toEqual([[], 400]);
  clock.advance(400);
  expect(expired).toEqual([['two', 1_400]]);
});

test('after stop none expires', () => {
  begin('one', 1_000);
  deadlines.stop();
  deadlines.stop();
  clock.advance(1_000);
  expect([expired, clock.pending]).toEqual([[], 0]);
});

test('stop without an attempt has no effect', () => {
  deadlines.stop();
  begin('one', 1_000);
  clock.advance(1_000);
  expect(expired).toEqual([['one', 1_000]]);
});
