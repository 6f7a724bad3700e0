/** [faults: 19, 292] The time of decisions follows the wall clock, but not its steps. */
import { describe, expect, test } from '@jest/globals';
import { array, assert, boolean, integer, property, tuple } from 'fast-check';
import { SteadyTime } from '../../src/kernel/steady-time.ts';
import type { ClockStep } from '../../src/kernel/steady-time.ts';

const hour = 3_600_000;

/** Two clocks that the test moves. */
function clocks() {
  let [wall, monotonic] = [1_767_225_600_000, 0.25];
  const steps: ClockStep[] = [];
  const steady = new SteadyTime(
    () => Math.floor(wall),
    () => monotonic,
  );
  steady.onStep((step) => steps.push(step));
  const began = wall;
  return {
    steps,
    /** Since the start. */
    now: () => steady.now() - began,
    pass: (ms: number): number => {
      wall += ms;
      monotonic += ms;
      return steady.now() - began;
    },
    step: (ms: number): void => {
      wall += ms;
    },
    difference: () => steady.now() - wall,
  };
}

describe('without a step', () => {
  test('it is the wall clock, also after an hour in which nobody asked', () => {
    const { pass, difference, steps } = clocks();
    pass(1);
    expect(pass(hour)).toBe(hour + 1);
    expect([difference(), steps]).toEqual([0, []]);
  });

  test('it follows the small corrections of a clock that drifts', () => {
    const { pass, step, difference, steps } = clocks();
    for (let second = 0; second < 1_000; second += 1) {
      pass(1_000);
      step(0.5);
    }
    pass(2_000);
    expect(Math.abs(difference())).toBeLessThan(1);
    expect(steps).toEqual([]);
  });
});

describe.each([
  ['back', -1],
  ['forward', 1],
])('a step %s by an hour', (_, sign) => {
  test('does not change what had passed, and is told once', () => {
    const { now, pass, step, steps } = clocks();
    pass(10_000);
    step(sign * hour);
    expect(Math.abs(now() - 10_000)).toBeLessThanOrEqual(1);
    pass(10);
    expect(steps).toEqual([{ ms: sign * hour, isApproached: true }]);
  });

  test('is approached at half speed, and reached after two hours', () => {
    const { now, pass, step, difference } = clocks();
    step(sign * hour);
    now();
    expect(Math.abs(pass(30_000) - 30_000 * (sign > 0 ? 1.5 : 0.5))).toBeLessThanOrEqual(1);
    for (let minute = 0; minute < 121; minute += 1) pass(60_000);
    expect(difference()).toBe(0);
  });

  test('and a step that undoes it leave nothing behind', () => {
    const { now, pass, step, difference } = clocks();
    step(sign * hour);
    now();
    step(-sign * hour);
    // What was approached in the meantime is left.
    expect(Math.abs(difference())).toBeLessThanOrEqual(1);
    pass(2_000);
    expect(Math.abs(difference())).toBeLessThanOrEqual(1);
  });
});

test('a step by a month is believed at once: nobody waits two months for a clock', () => {
  const { now, step, difference, steps } = clocks();
  step(30 * 24 * hour);
  now();
  expect([difference(), steps]).toEqual([0, [{ ms: 30 * 24 * hour, isApproached: false }]]);
});

test('it never runs backwards, whatever the wall clock does within a day', () => {
  const moves = array(
    tuple(integer({ min: 0, max: 5_000 }), integer({ min: -6 * hour, max: 6 * hour }), boolean()),
    { maxLength: 40 },
  );
  assert(
    property(moves, (all) => {
      const { now, pass, step } = clocks();
      let [before, ahead] = [now(), 0];
      for (const [ms, by, isStep] of all) {
        // Steps below a second are followed.
        if (isStep && Math.abs(by) > 1_000 && Math.abs(ahead + by) < 12 * hour) {
          step(by);
          ahead += by;
        } else pass(ms);
        const after = now();
        expect(after).toBeGreaterThanOrEqual(before - 1_000);
        before = after;
      }
    }),
  );
});
