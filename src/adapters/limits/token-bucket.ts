import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { late } from '../../kernel/late.ts';
import type { NamedLimiter } from './callers.ts';

interface Bucket {
  tokens: number;
  at: number;
}

const maxBuckets = 100_000;

/**
 * One token bucket for each name on this node. `perSecond` 0 turns the limit off. When there are too many
 * buckets, the one not used longest goes: full by then, unless 100,000 names were used since. [operator-interface §2 RATE_LIMIT_PER_SECOND]
 */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): NamedLimiter {
  const buckets = late(() => new LRUCache<string, Bucket>({ max: maxBuckets })); // 3 MB and 10 ms
  return {
    take(name) {
      if (perSecond === 0) return 0;
      const now = clock.monotonic();
      let bucket = buckets().get(name);
      if (bucket === undefined) {
        bucket = { tokens: burst, at: now };
        buckets().set(name, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
      bucket.at = now;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}
