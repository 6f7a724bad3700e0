import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import { makePacedQueue } from './paced-queue.ts';

/** [faults 84] An address may fail this often at once, and then this often per second. */
const burst = 100;
const perSecond = 10;
/** Both maps hold at most this many, those used longest ago go first: an attacker can't make us remember more. */
const maxRemembered = 10_000;

/** The request that shows a secret. */
export interface Guesser {
  /** As `clientAddress` gives it. */
  address: string;
  /** One connection has one secret looked up at a time once its address waits. */
  connection: object;
  /** A client that has disconnected costs no look-up. */
  isGone: () => boolean;
}

/** A queued look-up and its end: the same secret shown again waits for that end. */
interface PendingLookUp {
  hash: string;
  over: Promise<void>;
}

export interface GuessLimit {
  /**
   * What the look-up answers; null: the secret is wrong. Throws Fault 429 for a wrong secret of an address that keeps failing, and
   * for a second wrong secret of the same connection while the first is waiting.
   */
  check<T>(guesser: Guesser, secret: string, lookUp: () => Promise<T | null>): Promise<T | null>;
}

type LookUp<T> = () => Promise<T | null>;

/**
 * Slows guessing down: of API keys at every door, and of the admin token. Behind a proxy all clients share one address, so one
 * guesser must not lock out its neighbours: a secret that was right the last time passes at once even while its address waits, an
 * unknown one is looked up in a paced queue, which bounds what guessing costs the store. Whoever pipelines guesses stands in that
 * queue once, so that a right key seen for the first time is soon its turn. [faults: 84, 95, 99]
 */
export function makeGuessLimit(clock: Clock): GuessLimit {
  const failures = new Failures(clock);
  /** By hash: the secrets themselves stay out of the memory. No expiry: whoever was right passes until it fails. */
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
      // Costs a hash per request, some 2 µs: a key must be known before somebody begins to fail.
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

/** How often addresses have failed of late, and how many different secrets of theirs are being looked up. */
class Failures {
  readonly #buckets: TokenBuckets;
  readonly #expected = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#buckets = new TokenBuckets({ perSecond, burst, clock, names: maxRemembered });
  }

  /** 0: look it up at once. */
  waitSeconds(address: string): number {
    const excess = (this.#expected.get(address)?.size ?? 0) + 1 - this.#buckets.left(address);
    return excess <= 0 ? 0 : Math.max(1, Math.ceil(excess / perSecond));
  }

  add(address: string): void {
    this.#buckets.add(address, -1);
  }

  /** Ten thousand guesses that arrive together have not failed yet: until the returned function is called, this one counts. */
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
