import { setTimeout as wait } from 'node:timers/promises';

/** Pause between two polls, ms. */
const [shortest, longest] = [10, 200];

/** What is waited for can no longer come: `until` throws it at once. */
export class NeverComes extends Error {}

/**
 * Waits for a condition to which a test cannot subscribe: calls `ask` until it returns something else than null, undefined or false,
 * and resolves with that. An `ask` that throws is tried again, unless it throws `NeverComes`. Polls less often the longer it waits, to leave the CPU to the service.
 * After `withinMs` it throws an error that names `what`: that is a watchdog for a busy machine, not an assertion about time.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = 120_000,
): Promise<T> {
  const start = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      if (error instanceof NeverComes) throw error;
      last = error;
    }
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`waited ${withinMs} ms for ${what}; last: ${String(last)}`);
    await wait(Math.min(longest, Math.max(shortest, waited / 10)));
  }
}
