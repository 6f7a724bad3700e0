import type { Clock } from '../../kernel/clock.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import type { NamedLimiter } from './callers.ts';

const names = 100_000;

/** One token bucket for each name on this node. `perSecond` 0 turns the limit off. [operator-interface §2 RATE_LIMIT_PER_SECOND] */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): NamedLimiter {
  if (perSecond === 0) return { take: () => 0 };
  const buckets = new TokenBuckets({ perSecond, burst, clock, names });
  return { take: (name) => Math.ceil(buckets.take(name)) };
}
