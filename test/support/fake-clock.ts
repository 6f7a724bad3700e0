import type { Clock } from '../../src/kernel/clock.ts';

interface Timer {
  /** Monotonic ms. */
  at: number;
  fire: () => void;
}

/**
 * A clock that only the test moves. `advance` and `pass` fire the due timers in the order of their due times (equal ones in the order
 * in which they were set), each at its due time, including timers that a fired one sets.
 */
export class FakeClock implements Clock {
  #monotonic = 0;
  readonly #wallAhead: number;
  #timers: Timer[] = [];

  constructor(now = 1_767_225_600_000) {
    this.#wallAhead = now;
  }

  now(): number {
    return this.#wallAhead + this.#monotonic;
  }

  wall(): number {
    return this.now();
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer: Timer = { at: this.#monotonic + Math.max(0, delayMs), fire };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1]?.at ?? 0) > timer.at) index -= 1;
    this.#timers.splice(index, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** The number of timers that are set and have not fired. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer fires; null if none is set. */
  get untilNext(): number | null {
    const [next] = this.#timers;
    return next === undefined ? null : next.at - this.#monotonic;
  }

  /** Moves the time by `ms`. Synchronous: what awaits a fired timer continues only after the whole time has passed. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    for (let next = this.#takeDue(until); next !== undefined; next = this.#takeDue(until)) next.fire();
    this.#monotonic = until;
  }

  /** Moves the time by `ms`, timer by timer; after each timer, all promise chains run as far as they can. */
  async pass(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await promisesSettled();
    for (let next = this.#takeDue(until); next !== undefined; next = this.#takeDue(until)) {
      next.fire();
      await promisesSettled();
    }
    this.#monotonic = until;
  }

  #takeDue(until: number): Timer | undefined {
    const [next] = this.#timers;
    if (next === undefined || next.at > until) return undefined;
    this.#timers.shift();
    this.#monotonic = Math.max(this.#monotonic, next.at);
    return next;
  }
}

/** Resolves once every promise chain that waits for no I/O and no timer has run to its end. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
