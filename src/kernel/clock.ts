/** Where time comes from. Tests move a FakeClock; only `systemClock` knows the real one. */
export interface Clock {
  /** Wall time, ms since the epoch: for timestamps and for what is compared with stored times. */
  now(): number;
  /** Monotonic ms, never steps back: for leases and measured durations. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, fire: () => void): () => void;
}

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

/** Resolves once that much time has gone by; a wait that may end early takes `after` itself. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** ISO 8601 UTC, the form of every timestamp on the wire. [spec: Conventions] */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
