import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';

/** What a name (an address, an account) may do: `burst` at once, then one per `everyMs`. */
export class Allowance {
  readonly #buckets: TokenBuckets;

  constructor({ burst, everyMs, clock }: { burst: number; everyMs: number; clock: Clock }) {
    this.#buckets = new TokenBuckets({ burst, perSecond: 1_000 / everyMs, clock, names: 10_000 });
  }

  /** Before the deed, so that many at once don't all pass. Throws Fault 429 with the seconds to wait. */
  take(name: string): void {
    const waitSeconds = this.#buckets.take(name);
    if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: Math.ceil(waitSeconds) });
  }

  /** It was no guess. */
  giveBack(name: string): void {
    this.#buckets.add(name, 1);
  }

  clear(name: string): void {
    this.#buckets.clear(name);
  }
}
