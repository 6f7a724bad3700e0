/** Slices of a sweep, each short: it must not delay the writes behind it. */
import type { Clock } from '../../../kernel/clock.ts';
import type { SweptSlice } from '../../sweep.ts';

/** Rows of each kind per slice, at most, where nothing else is said. About 3 ms of the writing thread, at 120 µs a row. */
const sliceRows = 25;
/** A slice ends early after this time: in a file that is larger than memory each row costs reads of the disk. */
const sliceMs = 4;
/** Rows between two looks at the clock. */
export const stepRows = 5;

export type SliceClock = Pick<Clock, 'monotonic'>;

/** Repeats the step, which handles `stepRows` rows, until nothing is left or the slice is full or took its time. */
export function inSteps(clock: SliceClock, step: () => SweptSlice, mostRows = sliceRows): SweptSlice {
  const endsAt = clock.monotonic() + sliceMs;
  let dropped = 0;
  for (let rows = 0; rows < mostRows && clock.monotonic() < endsAt; rows += stepRows) {
    const done = step();
    dropped += done.dropped;
    if (done.isLast) return { dropped, isLast: true };
  }
  return { dropped, isLast: false };
}
