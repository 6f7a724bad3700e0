import { setTimeout as wait } from 'node:timers/promises';

/** Between two questions, ms. */
const [shortest, longest] = [10, 200];

/**
 * Waits for a condition of another process that can't be subscribed to: asks again until the answer is neither null nor
 * undefined nor false, the seldomer the longer it has waited: who is asked needs the processor to get there. Names what it missed
 * when `withinMs` is over, which is a watchdog: a busy machine takes its time, and nothing is asserted about it.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const start = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`waited ${withinMs} ms for ${what}; last: ${String(last)}`);
    await wait(Math.min(longest, Math.max(shortest, waited / 10)));
  }
}
