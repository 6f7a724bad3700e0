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

/** What one key may do, and what all keys of an account may do together. [operator-interface §2 RATE_LIMIT_PER_SECOND; faults: 111] */
export function limitCallers(
  limits: { perSecond: number; burst: number },
  make: (perSecond: number, burst: number) => NamedLimiter,
): RateLimiter {
  const { perSecond, burst } = limits;
  const keys = make(perSecond, burst);
  const accounts = make(perSecond * keysWorth, burst * keysWorth);
  return { take: ({ accountId, apiKeyId }) => keys.take(apiKeyId) || accounts.take(accountId) };
}

const names = 100_000;

/** One token bucket for each name on this node. `perSecond` 0 turns the limit off. [operator-interface §2 RATE_LIMIT_PER_SECOND] */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): NamedLimiter {
  if (perSecond === 0) return { take: () => 0 };
  const buckets = new TokenBuckets({ perSecond, burst, clock, names });
  return { take: (name) => Math.ceil(buckets.take(name)) };
}
