import { setTimeout as wait } from 'node:timers/promises';

/**
 * Waits for a condition of another process that can't be subscribed to: asks again until the answer is neither null nor
 * undefined nor false. Names what it missed when `withinMs` is over, which is a
 * watchdog: a busy machine takes its time, and nothing is asserted about it.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}; last: ${String(last)}`);
    await wait(10);
  }
}
