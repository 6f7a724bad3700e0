/** The pace of sweeps: slice after slice, with pauses for the operations of others. */
import { systemClock } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';

/** Pause after a slice, as a multiple of its duration: erasing gets a third of the store, sends the rest. */
const pausePerSlice = 2;
/** A slice that waited out a failure of the store may have taken many seconds. */
const maxPauseMs = 1_000;

export interface SweptSlice {
  dropped: number;
  /** Nothing is left. */
  isLast: boolean;
}

type Slice = () => Promise<SweptSlice>;

/**
 * Repeats the slice until nothing is left or the signal has aborted. Returns the number of erased items. A duration includes the slice's
 * wait for the store: the busier the store, the longer the pause. The last slice is followed by a pause too, unless it found nothing to
 * erase: often another sweep begins at once, such as that of the next channel.
 */
export async function sweep(
  slice: Slice,
  stopping?: AbortSignal,
  clock: Clock = systemClock,
): Promise<number> {
  let dropped = 0;
  for (let isLast = false; !isLast && stopping?.aborted !== true;) {
    const startedAt = clock.monotonic();
    const done = await slice();
    dropped += done.dropped;
    ({ isLast } = done);
    if (isLast && done.dropped === 0) break;
    await pause(clock, Math.min(maxPauseMs, pausePerSlice * (clock.monotonic() - startedAt)), stopping);
  }
  return dropped;
}

/** As `sweep`, without pauses: a client waits for the end. */
export async function sweepAtOnce(slice: Slice): Promise<number> {
  for (let dropped = 0; ;) {
    const done = await slice();
    dropped += done.dropped;
    if (done.isLast) return dropped;
  }
}

/** Ends early when the signal aborts. */
function pause(clock: Clock, ms: number, stopping: AbortSignal | undefined): Promise<void> {
  if (stopping?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      stopping?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    stopping?.addEventListener('abort', end);
  });
}
