/** The pace of every sweep: slice after slice, with pauses for the operations of others. */
import { sleep, systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Pause after a slice, as a multiple of its duration: erasing gets a third of the store, sends the rest. */
const pausePerSlice = 2;

export interface SweptSlice {
  dropped: number;
  /** Nothing is left. */
  isLast: boolean;
}

/**
 * Repeats the slice until nothing is left or the signal has aborted. Returns the number of erased items. A duration includes the slice's
 * wait for the store: the busier the store, the longer the pause.
 */
export async function sweep(
  slice: () => Promise<SweptSlice>,
  stopping?: AbortSignal,
  clock: Clock = systemClock,
): Promise<number> {
  let dropped = 0;
  for (let isLast = false; !isLast && stopping?.aborted !== true;) {
    const startedAt = clock.monotonic();
    const done = await slice();
    dropped += done.dropped;
    ({ isLast } = done);
    await sleep(clock, pausePerSlice * (clock.monotonic() - startedAt));
  }
  return dropped;
}
