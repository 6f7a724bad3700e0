import type { Clock } from '../../src/kernel/clock.ts';

interface Timer {
  at: number;
  fire: () => void;
}

/** A clock that stands still until `pass`; whatever a timer starts runs before the next timer fires. */
export class HandClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = { at: this.#now + delayMs, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = next.at;
      next.fire();
      await settled();
    }
    this.#now = end;
  }

  #next(end: number): Timer | undefined {
    const next = this.#timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
    this.#timers = this.#timers.filter((one) => one !== next);
    return next;
  }
}

/** Resolves once every promise that can continue has continued. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
