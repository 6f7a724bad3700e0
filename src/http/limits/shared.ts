/**
 * Rate limit of an API key or an account over all nodes: one token bucket per name in Redis. Each node reserves a few tokens ahead of need,
 * so that a request never waits for Redis.
 *
 * A request takes a token from, in this order:
 * - the tokens that this node has reserved;
 * - credit: this node's share (limit ÷ live nodes) of the tokens that Redis still held at its last answer. Credit serves a name's first
 *   requests, and all requests while Redis is unreachable. The next reservation charges what was taken on credit. The bucket in Redis may
 *   go below zero for that, so that it counts every request and the total holds.
 * If both are empty, the request is rejected. [operator-interface §2 RATE_LIMIT_PER_SECOND; architecture §7 "rate limiter unreachable"]
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { refilled } from '../../kernel/token-buckets.ts';
import type { NamedLimiter } from './callers.ts';

interface SharedBucketsOptions {
  /** Must reject commands at once while Redis is unreachable. */
  redis: Redis;
  clock: Clock;
  log: Log;
  liveNodes(): number;
}

interface Bucket {
  reserved: number;
  credit: number;
  creditAt: number;
  /** Tokens taken on credit that no reservation has charged yet. */
  owed: number;
  /** Tokens taken since the last reservation was requested; the next one asks for twice as many. */
  taken: number;
  isAsking: boolean;
  askAfter: number;
}

/** A node reserves tokens for this time at most: its reserved tokens are missing on the nodes that the next requests go to. */
const aheadMs = 100;
/** Pause after Redis granted fewer tokens than requested. */
const scarceMs = 20;
/** Pause after Redis did not answer. */
const awayMs = 250;
/** The least recently used bucket is evicted. Its bucket in Redis is full again by then, unless this many names were used since. */
const maxBuckets = 100_000;

/**
 * Makes the shared limiter; `perSecond` 0 turns the limit off. All nodes together keep the limit within 10 %, plus one burst after Redis
 * lost its data. While Redis is unreachable each node grants its share: never more than the limit in total, and never a 401.
 */
export function makeSharedBuckets(
  perSecond: number,
  burst: number,
  options: SharedBucketsOptions,
): NamedLimiter {
  return perSecond === 0 ? { take: () => 0 } : new SharedBuckets(perSecond, burst, options);
}

class SharedBuckets implements NamedLimiter {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #options: SharedBucketsOptions;
  readonly #buckets = lruCache<Bucket>(maxBuckets);
  #isAway = false;

  constructor(perSecond: number, burst: number, options: SharedBucketsOptions) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#options = options;
  }

  take(name: string): number {
    const now = this.#options.clock.monotonic();
    const bucket = this.#openBucket(name, now);
    const waitSeconds = this.#takeFrom(bucket, now);
    const isShort = bucket.reserved < bucket.taken / 2 || bucket.reserved < 1;
    if (isShort && !bucket.isAsking && now >= bucket.askAfter) void this.#reserve(name, bucket);
    return waitSeconds;
  }

  #takeFrom(bucket: Bucket, now: number): number {
    bucket.taken += 1;
    if (bucket.reserved >= 1) {
      bucket.reserved -= 1;
      return 0;
    }
    const share = 1 / Math.max(1, this.#options.liveNodes());
    this.#growCredit(bucket, share, now);
    if (bucket.credit < 1) {
      return Math.max(1, Math.ceil((1 - bucket.credit) / (this.#perSecond * share)));
    }
    bucket.credit -= 1;
    bucket.owed += 1;
    return 0;
  }

  #growCredit(bucket: Bucket, share: number, now: number): void {
    const most = Math.max(1, this.#burst * share);
    bucket.credit = refilled(bucket.credit, now - bucket.creditAt, this.#perSecond * share, most);
    bucket.creditAt = now;
  }

  /** Never rejects. */
  async #reserve(name: string, bucket: Bucket): Promise<void> {
    const { redis, clock } = this.#options;
    const max = Math.max(1, Math.ceil((this.#perSecond * aheadMs) / 1_000));
    const wanted = Math.min(max, bucket.taken * 2);
    const { owed } = bucket;
    bucket.isAsking = true;
    bucket.taken = 0;
    // Without an answer Redis may or may not have charged these tokens. They were taken within this node's share, so the limit holds either
    // way.
    bucket.owed = 0;
    try {
      const answer = await redis.eval(
        reserveScript,
        1,
        `trunkline:rate:${name}`,
        this.#perSecond,
        this.#burst,
        owed,
        wanted,
      );
      this.#granted(bucket, answer, wanted);
      this.#back();
    } catch (error) {
      bucket.askAfter = clock.monotonic() + awayMs;
      this.#away(error);
    } finally {
      bucket.isAsking = false;
    }
  }

  #granted(bucket: Bucket, answer: unknown, wanted: number): void {
    const [granted, left] = Array.isArray(answer) ? answer.map(Number) : [];
    const isGrant = granted !== undefined && granted >= 0 && granted <= wanted;
    const isRest = left !== undefined && Math.abs(left) <= this.#burst;
    if (!isGrant || !isRest) throw new Error('the reservation was not understood');
    const now = this.#options.clock.monotonic();
    bucket.reserved += granted;
    // Redis has not charged the tokens that were taken on credit while it answered.
    bucket.credit = left / Math.max(1, this.#options.liveNodes()) - bucket.owed;
    bucket.creditAt = now;
    if (granted < wanted) bucket.askAfter = now + scarceMs;
  }

  #openBucket(name: string, now: number): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    const bucket = {
      reserved: 0,
      credit: Infinity, // the first `#growCredit` cuts it to this node's share of a burst
      creditAt: now,
      owed: 0,
      taken: 0,
      isAsking: false,
      askAfter: 0,
    };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #away(error: unknown): void {
    // one line per outage, not per request
    if (!this.#isAway) this.#options.log.warn({ error: asError(error) }, 'limits.own-share');
    this.#isAway = true;
  }

  #back(): void {
    if (this.#isAway) this.#options.log.info({}, 'limits.shared-again');
    this.#isAway = false;
  }
}

/**
 * Key: the bucket, a hash of `left` (tokens) and `at` (ms by Redis's clock). Args: tokens per second, burst, tokens taken on credit, tokens
 * wanted. Returns the tokens granted and, as text, the tokens left; these are negative if more was taken on credit than the bucket held. A
 * value that is no valid bucket, or whose `at` lies in the future, is replaced by a full bucket.
 */
const reserveScript = `
local perSecond, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local is = redis.call('TYPE', KEYS[1]).ok
if is ~= 'hash' and is ~= 'none' then redis.call('DEL', KEYS[1]) end
local known = redis.call('HMGET', KEYS[1], 'left', 'at')
local left, at = tonumber(known[1] or nil), tonumber(known[2] or nil)
if left and at and left >= -burst and left <= burst and at <= now then
  left = math.min(burst, left + (now - at) * perSecond / 1000)
else
  left = burst
end
left = math.max(-burst, left - ARGV[3])
local granted = math.max(0, math.min(tonumber(ARGV[4]), math.floor(left)))
left = left - granted
redis.call('HSET', KEYS[1], 'left', left, 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - left) * 1000 / perSecond) + 1000)
return { granted, string.format('%.3f', left) }
`;
