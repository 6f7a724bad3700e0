import { sleep } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';

/** Together at most 800 look-ups a second, whatever the store's speed: a place is taken for `placeMs` at least. */
const places = 8;
const placeMs = 10;
/** Each is a request that is held open; beyond this they would fill the memory. [faults: I11] */
const maxWaiting = 10_000;

/**
 * Runs what it is given in the order it came, a few at a time and paced. Rejects as the task does, or with Fault 429 when the
 * line is too long.
 */
export function makePacedQueue(clock: Clock): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting = new Set<() => void>();
  let taken = 0;

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      taken -= 1;
      return;
    }
    waiting.delete(next);
    next(); // takes the place over
  }

  function enter(): Promise<void> {
    if (taken >= places) return new Promise((resolve) => waiting.add(resolve));
    taken += 1;
    return Promise.resolve();
  }

  return async (task) => {
    if (waiting.size >= maxWaiting) throw fault('rate_limited', { retryAfter: 1 });
    await enter();
    const paced = sleep(clock, placeMs);
    try {
      return await task();
    } finally {
      void paced.then(leave);
    }
  };
}
