import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { late } from '../../kernel/late.ts';

/** What a name (an address, an account) may do: `burst` at once, then one per `everyMs`. The names used longest ago go first. */
export class Allowance {
  readonly #used = late(() => new LRUCache<string, { count: number; at: number }>({ max: 10_000 }));
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #clock: Clock;

  constructor(limits: { burst: number; everyMs: number; clock: Clock }) {
    this.#burst = limits.burst;
    this.#everyMs = limits.everyMs;
    this.#clock = limits.clock;
  }

  /** Before the deed, so that many at once don't all pass. Throws Fault 429 with the seconds to wait. */
  take(name: string): void {
    const used = this.#usedBy(name);
    if (used + 1 > this.#burst) {
      const waitMs = (used + 1 - this.#burst) * this.#everyMs;
      throw fault('rate_limited', { retryAfter: Math.ceil(waitMs / 1_000) });
    }
    this.#used().set(name, { count: used + 1, at: this.#clock.monotonic() });
  }

  /** It was no guess. */
  giveBack(name: string): void {
    this.#used().set(name, { count: Math.max(0, this.#usedBy(name) - 1), at: this.#clock.monotonic() });
  }

  clear(name: string): void {
    this.#used().delete(name);
  }

  #usedBy(name: string): number {
    const used = this.#used().get(name);
    if (used === undefined) return 0;
    return Math.max(0, used.count - (this.#clock.monotonic() - used.at) / this.#everyMs);
  }
}
