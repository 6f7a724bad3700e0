import type { Clock } from './clock.ts';
import { lruCache } from './lru-cache.ts';

interface TokenBucketLimits {
  perSecond: number;
  burst: number;
  clock: Clock;
  /**
   * Names that are remembered. The least recently used one is forgotten; its bucket is full by then, unless that many names were used
   * meanwhile.
   */
  names: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket per name: `burst` at once, then `perSecond`. A forgotten bucket is full. [faults: I11] */
export class TokenBuckets {
  readonly #limits: TokenBucketLimits;
  readonly #buckets: ReturnType<typeof lruCache<Bucket>>;

  constructor(limits: TokenBucketLimits) {
    this.#limits = limits;
    this.#buckets = lruCache(limits.names);
  }

  /** Takes a token and returns 0, or takes none and returns the seconds until there is one. */
  take(name: string): number {
    const bucket = this.#filled(name);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#limits.perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  /** Tokens in the bucket; negative when more were taken than there were. */
  left(name: string): number {
    return this.#buckets.has(name) ? this.#filled(name).tokens : this.#limits.burst;
  }

  /** Returns tokens, or takes them (`tokens` negative) even if the bucket has too few. */
  add(name: string, tokens: number): void {
    const bucket = this.#filled(name);
    bucket.tokens = Math.min(this.#limits.burst, bucket.tokens + tokens);
  }

  /** Fills the bucket. */
  clear(name: string): void {
    this.#buckets.delete(name);
  }

  #filled(name: string): Bucket {
    const { perSecond, burst, clock } = this.#limits;
    const now = clock.monotonic();
    const known = this.#buckets.get(name);
    if (known !== undefined) {
      known.tokens = refilled(known.tokens, now - known.at, perSecond, burst);
      known.at = now;
      return known;
    }
    const bucket = { tokens: burst, at: now };
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

/** The tokens of a bucket after `ms`. */
export function refilled(tokens: number, ms: number, perSecond: number, burst: number): number {
  return Math.min(burst, tokens + (ms / 1_000) * perSecond);
}
