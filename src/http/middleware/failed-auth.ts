import { siteOf } from '../../kernel/client-network.ts';
import { sleep } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

/** [faults 84] Failures that an address may have at once, and then per second. */
const burst = 100;
const perSecond = 10;
/** A site may fail as much as this many of its networks. */
const networksPerSite = 8;
/** Entries of each map, with LRU eviction: an attacker can't make us use more memory. */
const maxRemembered = 10_000;

/** The request that presents a secret. */
export interface Guesser {
  /** As `clientAddress` returns it. */
  address: string;
  /** While its address is limited, a connection has one look-up at a time. */
  connection: object;
  /** The secret of a disconnected client is not looked up. */
  isGone: () => boolean;
}

/** A queued look-up. The same secret, presented again on the connection, waits for its end. */
interface PendingLookUp {
  hash: string;
  over: Promise<void>;
}

export interface GuessLimit {
  /**
   * Returns the result of `lookUp`; null: the secret is wrong. Throws Fault 429 for a wrong secret from an address that keeps failing, and
   * for another unknown secret of a connection while the look-up of its first one is queued.
   */
  check<T>(guesser: Guesser, secret: string, lookUp: () => Promise<T | null>): Promise<T | null>;
}

type LookUp<T> = () => Promise<T | null>;

/**
 * Slows down the guessing of API keys, on every listener that takes them, and of the admin token. Behind a proxy all clients share one
 * address, so one guesser must not lock out the others: a secret that was valid at its last look-up passes at once even while its address
 * is limited; an unknown one is looked up in a paced queue, which bounds the load on the store. A connection that pipelines guesses has one
 * entry in that queue, so that a valid key presented for the first time is soon looked up. [faults: 84, 95, 99]
 */
export function makeGuessLimit(clock: Clock): GuessLimit {
  const failures = new Failures(clock);
  /** By hash, to keep the secrets out of memory. No expiry: a valid secret stays until a look-up fails. */
  const good = lruCache<true>(maxRemembered);
  const paced = makePacedQueue(clock);
  const waiting = new WeakMap<object, PendingLookUp>();

  async function settle<T>(guesser: Guesser, hash: string, lookUp: LookUp<T>): Promise<T | null> {
    const answer = await lookUp();
    if (answer !== null) good.set(hash, true);
    else {
      good.delete(hash); // revoked
      failures.add(guesser.address);
    }
    return answer;
  }

  async function inLine<T>(guesser: Guesser, hash: string, lookUp: LookUp<T>): Promise<T | null> {
    const retryAfter = failures.waitSeconds(guesser.address);
    const before = waiting.get(guesser.connection);
    if (before !== undefined) {
      if (before.hash === hash) await before.over;
      if (good.has(hash)) return settle(guesser, hash, lookUp);
      throw fault('guessing', { retryAfter });
    }
    let isOver = (): void => {};
    const over = new Promise<void>((resolve) => (isOver = resolve));
    waiting.set(guesser.connection, { hash, over });
    try {
      const found = await paced(async () => (guesser.isGone() ? null : lookUp()));
      if (found === null) throw fault('guessing', { retryAfter });
      good.set(hash, true);
      return found;
    } finally {
      waiting.delete(guesser.connection);
      isOver();
    }
  }

  return {
    async check(guesser, secret, lookUp) {
      // Costs a hash per request, some 2 µs: a key must be known before its address begins to fail.
      const hash = hashSecret(secret);
      if (good.has(hash)) return settle(guesser, hash, lookUp);
      if (failures.waitSeconds(guesser.address) > 0) return inLine(guesser, hash, lookUp);
      const isOver = failures.expect(guesser.address, hash);
      try {
        return await settle(guesser, hash, lookUp);
      } finally {
        isOver();
      }
    },
  };
}

/** Recent failures of each address, and how many different secrets of it are being looked up. */
class FailuresOf {
  readonly #buckets: TokenBuckets;
  readonly #perSecond: number;
  readonly #expected = new Map<string, Set<string>>();

  /** `times`: how often the limits of an address. */
  constructor(clock: Clock, times: number) {
    this.#perSecond = perSecond * times;
    const limits = { perSecond: this.#perSecond, burst: burst * times };
    this.#buckets = new TokenBuckets({ ...limits, clock, names: maxRemembered });
  }

  /** 0: look the secret up at once. */
  waitSeconds(address: string): number {
    const excess = (this.#expected.get(address)?.size ?? 0) + 1 - this.#buckets.left(address);
    return excess <= 0 ? 0 : Math.max(1, Math.ceil(excess / this.#perSecond));
  }

  add(address: string): void {
    this.#buckets.add(address, -1);
  }

  /** Counts a look-up as failed until the returned function is called: ten thousand guesses that arrive together have not failed yet. */
  expect(address: string, hash: string): () => void {
    const hashes = this.#expected.get(address) ?? new Set();
    if (hashes.has(hash)) return () => {};
    this.#expected.set(address, hashes.add(hash));
    return () => {
      hashes.delete(hash);
      if (hashes.size === 0) this.#expected.delete(address);
    };
  }
}

/** Failures of each address and, for an IPv6 network, of its site: whoever has one network often has all of the site's. [faults: 320] */
class Failures {
  readonly #ofAddress: FailuresOf;
  readonly #ofSite: FailuresOf;

  constructor(clock: Clock) {
    this.#ofAddress = new FailuresOf(clock, 1);
    this.#ofSite = new FailuresOf(clock, networksPerSite);
  }

  waitSeconds(address: string): number {
    const site = siteOf(address);
    const ofSite = site === null ? 0 : this.#ofSite.waitSeconds(site);
    return Math.max(this.#ofAddress.waitSeconds(address), ofSite);
  }

  add(address: string): void {
    this.#ofAddress.add(address);
    const site = siteOf(address);
    if (site !== null) this.#ofSite.add(site);
  }

  expect(address: string, hash: string): () => void {
    const isOver = this.#ofAddress.expect(address, hash);
    const site = siteOf(address);
    const isOverAtSite = site === null ? null : this.#ofSite.expect(site, hash);
    return () => {
      isOver();
      isOverAtSite?.();
    };
  }
}

/** At most 800 look-ups a second, whatever the store's speed: a slot is held for at least `slotMs`. */
const slots = 8;
const slotMs = 10;
/** Each waiting task is an open request: more of them would fill the memory. [faults: I11] */
const maxWaiting = 10_000;

/** Runs tasks in the order of arrival, a few at a time and paced. Rejects as the task does, or with Fault 429 when too many tasks wait. */
export function makePacedQueue(clock: Clock): <T>(task: () => Promise<T>) => Promise<T> {
  const semaphore = new Semaphore(slots, maxWaiting);
  return async (task) => {
    if (!(await semaphore.take())) throw fault('rate_limited', { retryAfter: 1 });
    const paced = sleep(clock, slotMs);
    try {
      return await task();
    } finally {
      void paced.then(() => semaphore.free());
    }
  };
}
