/** The source of time. Tests use a FakeClock; only `systemClock` reads the real one. */
import { SteadyTime } from './steady-time.ts';

export interface Clock {
  /** Ms since the epoch, for decisions, stored times and comparisons with them: follows the wall clock, but not its steps. */
  now(): number;
  /** Ms since the epoch as other machines have it: for what they compare with their own clocks. */
  wall(): number;
  /** Monotonic ms, never steps back: for leases and measured durations. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, fire: () => void): () => void;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const maxTimerMs = 2 ** 31 - 1;

/** Of this process. A step of the wall clock that an earlier process saw is not known to it. */
export const steadyTime = new SteadyTime(
  () => Date.now(),
  () => performance.now(),
);

export const systemClock: Clock = {
  now: () => steadyTime.now(),
  wall: () => Date.now(),
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
