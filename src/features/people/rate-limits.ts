/** Rate limits of this node for what costs more than a request: n nodes allow n times as much, which is still little. */
import { siteOf } from '../../kernel/client-network.ts';
import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import { lruCache } from '../../kernel/lru-cache.ts';

/** Rate limits of what people do. [faults: 84] */
export interface PeopleLimits {
  /** Counts, as each limit by address, an IPv6 network and the site that it is in. */
  signInAddress: AddressAllowance;
  signInAccount: Allowance;
  /** Each tried password costs a hash, also a correct one. */
  passwordAddress: AddressAllowance;
  passwordAccount: Allowance;
  /** Codes of the second step: a person's, whoever tries them. */
  secondStep: Allowance;
  signUp: AddressAllowance;
  reset: AddressAllowance;
  /** Per recipient address: mails that the person or others trigger. */
  mailAccount: Allowance;
  /** Per person: each new address mails a stranger, and the person. */
  addressChange: Allowance;
  /** Per recipient address, for password resets only, so that other mails can't exhaust it. [faults: 177] */
  mailReset: Allowance;
  /** Per account: each invitation mails a stranger. */
  invite: Allowance;
  /** Addresses from which somebody signed in at this node. */
  knownAddresses: ReturnType<typeof lruCache<true>>;
}

export function peopleLimits(clock: Clock): PeopleLimits {
  return {
    signInAddress: new AddressAllowance({ burst: 30, everyMs: minuteMs / 2, clock }),
    // A person locked out by somebody else's guesses can still reset the password.
    signInAccount: new Allowance({ burst: 10, everyMs: minuteMs, clock }),
    passwordAddress: new AddressAllowance({ burst: 120, everyMs: 1_000, clock }),
    passwordAccount: new Allowance({ burst: 30, everyMs: minuteMs / 3, clock }),
    // A code has a million values, three of which are right: some 0.1 % of them can be tried in a day.
    secondStep: new Allowance({ burst: 5, everyMs: 5 * minuteMs, clock }),
    signUp: new AddressAllowance({ burst: 20, everyMs: minuteMs, clock }),
    reset: new AddressAllowance({ burst: 10, everyMs: minuteMs, clock }),
    invite: new Allowance({ burst: 10, everyMs: 6 * minuteMs, clock }),
    addressChange: new Allowance({ burst: 3, everyMs: 20 * minuteMs, clock }),
    mailAccount: new Allowance({ burst: 3, everyMs: 20 * minuteMs, clock }),
    mailReset: new Allowance({ burst: 3, everyMs: 20 * minuteMs, clock }),
    knownAddresses: lruCache(10_000),
  };
}

interface AllowanceLimits {
  burst: number;
  everyMs: number;
  clock: Clock;
}

/** Token bucket per name (an address, an account): `burst` at once, then one per `everyMs`. */
class Allowance {
  readonly #buckets: TokenBuckets;

  constructor({ burst, everyMs, clock }: AllowanceLimits) {
    this.#buckets = new TokenBuckets({ burst, perSecond: 1_000 / everyMs, clock, names: 10_000 });
  }

  /** Call it before the action, so that concurrent calls are limited too. Throws Fault 429 with the seconds to wait. */
  take(name: string): void {
    const waitSeconds = this.#buckets.take(name);
    if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: Math.ceil(waitSeconds) });
  }

  /** Returns the token of a correct password. */
  giveBack(name: string): void {
    this.#buckets.add(name, 1);
  }

  clear(name: string): void {
    this.#buckets.clear(name);
  }
}

/** A site may do as much as this many of its networks: an attacker has all 65,536 of them, and many households can share it. [faults: 320] */
const networksPerSite = 8;

/** As `Allowance`, for addresses as `clientAddress` returns them. */
class AddressAllowance {
  readonly #ofNetwork: Allowance;
  readonly #ofSite: Allowance;

  constructor({ burst, everyMs, clock }: AllowanceLimits) {
    this.#ofNetwork = new Allowance({ burst, everyMs, clock });
    this.#ofSite = new Allowance({
      burst: burst * networksPerSite,
      everyMs: everyMs / networksPerSite,
      clock,
    });
  }

  /** As `Allowance.take`. A refusal for the site counts for the network: whoever goes on is refused there. */
  take(network: string): void {
    this.#ofNetwork.take(network);
    const site = siteOf(network);
    if (site !== null) this.#ofSite.take(site);
  }

  giveBack(network: string): void {
    this.#ofNetwork.giveBack(network);
    const site = siteOf(network);
    if (site !== null) this.#ofSite.giveBack(site);
  }
}
