import type { Clock } from '../../src/kernel/clock.ts';

interface Timer {
  /** Monotonic ms. */
  at: number;
  fire: () => void;
}

/**
 * Time that only a test moves. `advance` fires what is due in order of due time (then of setting), each at its own moment,
 * also what the fired ones set. `jump` moves the wall clock alone, as an operator or NTP would.
 */
export class FakeClock implements Clock {
  #monotonic = 0;
  #wallAhead: number;
  #timers: Timer[] = [];

  constructor(now = 1_767_225_600_000) {
    this.#wallAhead = now;
  }

  now(): number {
    return this.#wallAhead + this.#monotonic;
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

  /** Timers that are set and have not fired. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Ms until the next timer fires; null: none is set. */
  get untilNext(): number | null {
    const [next] = this.#timers;
    return next === undefined ? null : next.at - this.#monotonic;
  }

  /** Lets `ms` pass; promises that the fired timers resolve go on only after it. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    for (let next = this.#takeDue(until); next !== undefined; next = this.#takeDue(until)) next.fire();
    this.#monotonic = until;
  }

  /** Lets `ms` pass timer by timer, and everything that waits on promises go on in between. */
  async pass(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await promisesSettled();
    for (let next = this.#takeDue(until); next !== undefined; next = this.#takeDue(until)) {
      next.fire();
      await promisesSettled();
    }
    this.#monotonic = until;
  }

  jump(ms: number): void {
    this.#wallAhead += ms;
  }

  #takeDue(until: number): Timer | undefined {
    const [next] = this.#timers;
    if (next === undefined || next.at > until) return undefined;
    this.#timers.shift();
    this.#monotonic = Math.max(this.#monotonic, next.at);
    return next;
  }
}

/** Resolves once every promise chain that needs nothing from outside has run to its end. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
