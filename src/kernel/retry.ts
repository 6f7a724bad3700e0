/** Retries: how long to wait, and the loop. The caller decides which errors are retried. */
import { sleep } from './clock.ts';
import type { Clock } from './clock.ts';
import { asError } from './faults.ts';

interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** Doubles with every failed try, up to `maxMs`. */
export function backOffMs({ firstMs, maxMs }: BackOff, triedBefore: number): number {
  return Math.min(firstMs * 2 ** Math.min(triedBefore, 40), maxMs);
}

/** Half of the back-off plus a share of the other half: callers that failed at the same moment must not retry at the same moment. */
export function jitteredMs(backOff: BackOff, triedBefore: number, share = Math.random()): number {
  return (backOffMs(backOff, triedBefore) / 2) * (1 + share);
}

interface RetryOptions<E> extends BackOff {
  clock: Clock;
  /** 0 to 1; for callers that must not use randomness. */
  share?: number;
  /** Returns `again`, returns the value to resolve with instead, or throws to reject. */
  failed: (error: unknown, pauseMs: number) => 'again' | { end: E };
}

/**
 * Tries until `act` resolves or `failed` ends the loop. `act` gets the number of earlier tries. A first try that succeeds, as nearly all
 * do, costs little more than `act` itself.
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
