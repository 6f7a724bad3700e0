/** The source of time. Tests use a FakeClock; only `systemClock` reads the real one. */
export interface Clock {
  /** Wall time, ms since the epoch: for timestamps, and for comparisons with stored times. */
  now(): number;
  /** Monotonic ms, never steps back: for leases and measured durations. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, fire: () => void): () => void;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, delayMs), maxTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after this time; for a wait that may end early use `after`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** ISO 8601 UTC, the form of every timestamp on the wire. [spec: Conventions] */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Yields to the event loop between slices of long work. [faults: I9] */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * The items, with a turn of the event loop for others after each `perTurn`. For loops that wait for a store: a file is read at once, so
 * that awaiting it gives nobody a turn. [faults: I9]
 */
export async function* inTurns<T>(items: Iterable<T>, perTurn: number): AsyncGenerator<T> {
  let index = 0;
  for (const item of items) {
    if (index % perTurn === perTurn - 1) await yieldToLoop();
    yield item;
    index += 1;
  }
}
