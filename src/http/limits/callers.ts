import type { Clock } from '../../kernel/clock.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import type { Caller } from '../../rules/caller.ts';

export interface RateLimiter {
  /** Seconds that the caller must wait; 0 admits the request. */
  take(caller: Pick<Caller, 'accountId' | 'apiKeyId'>): number;
}

/** Rate limiter of named callers: API keys or accounts. */
export interface NamedLimiter {
  /** Returns the seconds to wait until a token is free, or 0 if the call is admitted. */
  take(name: string): number;
}

/** All keys of an account together have the limit of this many keys, however many keys the account has made. */
const keysWorth = 4;

/**
 * Limits each API key and, together, all keys of an account. A rate or burst of 0 turns the limit off. The burst is at least 1, because a
 * smaller bucket would never admit a call. [operator-interface §2 RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST; faults: 111]
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

const maxNames = 100_000;

/** Token buckets of this node alone, one for each name. [operator-interface §2 RATE_LIMIT_PER_SECOND] */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): NamedLimiter {
  const buckets = new TokenBuckets({ perSecond, burst, clock, names: maxNames });
  return { take: (name) => Math.ceil(buckets.take(name)) };
}
