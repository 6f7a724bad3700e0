import { describe, expect, test } from '@jest/globals';
import { backOffMs, jitteredMs, retry } from '../../src/kernel/retry.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';

const backOff = { firstMs: 100, maxMs: 500 };

/** A clock on which waits end at once, with the sum of their durations. */
function hurriedClock(): { clock: Clock; pauses: number[] } {
  const pauses: number[] = [];
  const after = (ms: number, fire: () => void): (() => void) => {
    pauses.push(ms);
    queueMicrotask(fire);
    return () => undefined;
  };
  return { clock: { ...systemClock, after }, pauses };
}

describe('back-off', () => {
  test('doubles up to the maximum, however often it failed', () => {
    expect([0, 1, 2, 3, 1_000].map((tried) => backOffMs(backOff, tried))).toEqual([100, 200, 400, 500, 500]);
  });

  test('with jitter is between a half and the whole of it', () => {
    expect([0, 0.5, 1].map((share) => jitteredMs(backOff, 1, share))).toEqual([100, 150, 200]);
    expect(
      Array.from({ length: 1_000 }, () => jitteredMs(backOff, 0)).every((ms) => ms >= 50 && ms < 100),
    ).toBe(true);
  });
});

describe('a retry', () => {
  const share = 1;

  test('continues until there is an answer, with growing pauses', async () => {
    const { clock, pauses } = hurriedClock();
    const told: number[] = [];

    const answer = await retry({ clock, ...backOff, share, failed: () => 'again' }, async (triedBefore) => {
      told.push(triedBefore);
      if (triedBefore < 3) throw new Error('away');
      return 'there';
    });

    expect([answer, told, pauses]).toEqual(['there', [0, 1, 2, 3], [100, 200, 400]]);
  });

  test("ends with the caller's result or error, without a pause", async () => {
    const { clock, pauses } = hurriedClock();
    const act = () => Promise.reject(new Error('away'));

    expect(await retry({ clock, ...backOff, failed: () => ({ end: null }) }, act)).toBeNull();
    const failed = (error: unknown): never => {
      throw error;
    };
    await expect(retry({ clock, ...backOff, failed }, act)).rejects.toThrow('away');

    expect(pauses).toEqual([]);
  });

  test('treats a synchronous error like any other', async () => {
    const { clock } = hurriedClock();
    const heard: unknown[] = [];
    const failed = (error: unknown) => (heard.push(error), { end: 'ended' });
    const broken = new Error('at once');

    expect(
      await retry({ clock, ...backOff, failed }, () => {
        throw broken;
      }),
    ).toBe('ended');
    expect(heard).toEqual([broken]);
  });
});
