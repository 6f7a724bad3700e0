/** Trying again: how long to wait, and the loop. What is worth another try is its caller's to say. */
import { sleep } from './clock.ts';
import type { Clock } from './clock.ts';
import { asError } from './faults.ts';

interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** Doubled with every try that failed before, up to the longest. */
export function backOffMs({ firstMs, maxMs }: BackOff, triedBefore: number): number {
  return Math.min(firstMs * 2 ** Math.min(triedBefore, 40), maxMs);
}

/** Half of it and a share of the other half: who failed at the same moment must not come back at the same moment. */
export function jitteredMs(backOff: BackOff, triedBefore: number, share = Math.random()): number {
  return (backOffMs(backOff, triedBefore) / 2) * (1 + share);
}

interface RetryOptions<E> extends BackOff {
  clock: Clock;
  /** 0 to 1, for whoever must not know chance. */
  share?: number;
  /** Throws what ends it, or says what to answer instead. */
  failed: (error: unknown, pauseMs: number) => 'again' | { end: E };
}

/**
 * Tries until `act` answers or `failed` ends it. `act` is told how often it was tried before. Nearly every first try succeeds, and
 * costs hardly more than `act` itself.
 */
export function retry<T, E = never>(
  options: RetryOptions<E>,
  act: (triedBefore: number) => Promise<T>,
): Promise<T | E> {
  return begin(act).catch((error: unknown) => again(options, act, error));
}

function begin<T>(act: (triedBefore: number) => Promise<T>): Promise<T> {
  try {
    return act(0);
  } catch (error) {
    return Promise.reject(asError(error));
  }
}

async function again<T, E>(
  options: RetryOptions<E>,
  act: (triedBefore: number) => Promise<T>,
  firstError: unknown,
): Promise<T | E> {
  let error = firstError;
  for (let tried = 1; ; tried += 1) {
    const pauseMs = jitteredMs(options, tried - 1, options.share);
    const next = options.failed(error, pauseMs);
    if (next !== 'again') return next.end;
    await sleep(options.clock, pauseMs);
    try {
      return await act(tried);
    } catch (thrown) {
      error = thrown;
    }
  }
}
