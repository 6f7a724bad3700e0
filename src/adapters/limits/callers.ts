import type { RateLimiter } from '../../use-cases/ports/accounts.ts';
import type { Clock } from '../../kernel/clock.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';

/** Limits what has a name: a key, or an account. */
export interface NamedLimiter {
  /** Seconds to wait; 0: go on. */
  take(name: string): number;
}

/** An account has the limits of so many keys, however many it has made. */
const keysWorth = 4;

/**
 * What one key may do, and what all keys of an account may do together. 0, of either, turns the limit off; a bucket that holds less
 * than one would never let anybody through. [operator-interface §2 RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST; faults: 111]
 */
export function limitCallers(
  limits: { perSecond: number; burst: number },
  make: (perSecond: number, burst: number) => NamedLimiter,
): RateLimiter {
  const { perSecond } = limits;
  if (perSecond === 0 || limits.burst === 0) return { take: () => 0 };
  const burst = Math.max(1, limits.burst);
  const keys = make(perSecond, burst);
  const accounts = make(perSecond * keysWorth, burst * keysWorth);
  return { take: ({ accountId, apiKeyId }) => keys.take(apiKeyId) || accounts.take(accountId) };
}

const names = 100_000;

/** One token bucket for each name on this node. [operator-interface §2 RATE_LIMIT_PER_SECOND] */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): NamedLimiter {
  const buckets = new TokenBuckets({ perSecond, burst, clock, names });
  return { take: (name) => Math.ceil(buckets.take(name)) };
}
