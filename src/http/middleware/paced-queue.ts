import { sleep } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

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
  const semaphore = new Semaphore(places, maxWaiting);
  return async (task) => {
    if (!(await semaphore.take())) throw fault('rate_limited', { retryAfter: 1 });
    const paced = sleep(clock, placeMs);
    try {
      return await task();
    } finally {
      void paced.then(() => semaphore.free());
    }
  };
}
