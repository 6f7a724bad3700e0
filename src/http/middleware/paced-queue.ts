import { sleep } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

/** At most 800 look-ups a second, whatever the store's speed: a slot is held for at least `slotMs`. */
const slots = 8;
const slotMs = 10;
/** Each waiting task is an open request: more of them would fill the memory. [faults: I11] */
const maxWaiting = 10_000;

/** Runs tasks in the order of arrival, a few at a time and paced. Rejects as the task does, or with Fault 429 when too many tasks wait. */
export function makePacedQueue(clock: Clock): <T>(task: () => Promise<T>) => Promise<T> {
  const semaphore = new Semaphore(slots, maxWaiting);
  return async (task) => {
    if (!(await semaphore.take())) throw fault('rate_limited', { retryAfter: 1 });
    const paced = sleep(clock, slotMs);
    try {
      return await task();
    } finally {
      void paced.then(() => semaphore.free());
    }
  };
}
