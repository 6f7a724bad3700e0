import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';

const minuteMs = 60_000;

/** Per node: a cluster of n allows n times as much, which is still few. [faults: 84] */
export interface PeopleLimits {
  signInAddress: Allowance;
  signInAccount: Allowance;
  /** Each password costs a hash, a right one too. */
  passwordAddress: Allowance;
  passwordAccount: Allowance;
  signUp: Allowance;
  reset: Allowance;
  /** Of an address: mails that its person has asked for, or that others bring about. */
  mailAccount: Allowance;
  /** Of an address: a new password. Others can't use it up by what else they have mailed there. [faults: 177] */
  mailReset: Allowance;
  /** Per account: each is a mail to a stranger. */
  invite: Allowance;
}

export function peopleLimits(clock: Clock): PeopleLimits {
  return {
    signInAddress: new Allowance({ burst: 30, everyMs: minuteMs / 2, clock }),
    // Who is locked out by somebody else's guessing gets in by a new password.
    signInAccount: new Allowance({ burst: 10, everyMs: minuteMs, clock }),
    passwordAddress: new Allowance({ burst: 120, everyMs: 1_000, clock }),
    passwordAccount: new Allowance({ burst: 30, everyMs: minuteMs / 3, clock }),
    signUp: new Allowance({ burst: 20, everyMs: minuteMs, clock }),
    reset: new Allowance({ burst: 10, everyMs: minuteMs, clock }),
    invite: new Allowance({ burst: 10, everyMs: 6 * minuteMs, clock }),
    mailAccount: new Allowance({ burst: 3, everyMs: 20 * minuteMs, clock }),
    mailReset: new Allowance({ burst: 3, everyMs: 20 * minuteMs, clock }),
  };
}

/** What a name (an address, an account) may do: `burst` at once, then one per `everyMs`. */
class Allowance {
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
