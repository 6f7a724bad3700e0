import { systemClock } from '../../../src/kernel/clock.ts';
import type { Clock } from '../../../src/kernel/clock.ts';

/**
 * The real clock of one of several nodes in a process: its timers can be blocked, as SIGSTOP does, while time goes on; its
 * wall clock may be wrong.
 */
export class PausableClock implements Clock {
  readonly #wallAheadMs: number;
  #paused = false;
  #late: (() => void)[] = [];

  constructor(wallAheadMs = 0) {
    this.#wallAheadMs = wallAheadMs;
  }

  now(): number {
    return systemClock.now() + this.#wallAheadMs;
  }

  wall(): number {
    return this.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(delayMs: number, fire: () => void): () => void {
    let cancelled = false;
    const fireUnlessCancelled = (): void => {
      if (!cancelled) fire();
    };
    const cancel = systemClock.after(delayMs, () => {
      if (this.#paused) this.#late.push(fireUnlessCancelled);
      else fireUnlessCancelled();
    });
    return () => {
      cancelled = true;
      cancel();
    };
  }

  pause(): void {
    this.#paused = true;
  }

  /** Fires the timers that came due meanwhile, in order. */
  resume(): void {
    this.#paused = false;
    const late = this.#late;
    this.#late = [];
    for (const fire of late) fire();
  }
}
