import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { late } from '../../kernel/late.ts';
import type { RateLimiter } from '../../use-cases/ports/accounts.ts';

interface Bucket {
  tokens: number;
  at: number;
}

const maxBuckets = 100_000;

/**
 * One token bucket per API key on this node. `perSecond` 0 turns the limit off. When there are too many
 * buckets, the one not used longest goes: full by then, unless 100,000 keys were used since. [operator-interface §2 RATE_LIMIT_PER_SECOND]
 */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): RateLimiter {
  const buckets = late(() => new LRUCache<string, Bucket>({ max: maxBuckets })); // 3 MB and 10 ms
  return {
    take(apiKeyId) {
      if (perSecond === 0) return 0;
      const now = clock.monotonic();
      let bucket = buckets().get(apiKeyId);
      if (bucket === undefined) {
        bucket = { tokens: burst, at: now };
        buckets().set(apiKeyId, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
      bucket.at = now;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}
