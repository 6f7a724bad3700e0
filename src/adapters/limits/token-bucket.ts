import type { Clock } from '../../kernel/clock.ts';
import type { RateLimiter } from '../../use-cases/ports/accounts.ts';

interface Bucket {
  tokens: number;
  at: number;
}

const maxBuckets = 100_000;

/**
 * One token bucket per API key on this node. `perSecond` 0 turns the limit off. A key that is not seen any more costs nothing
 * for long: when there are too many buckets, the full ones go. [operator-interface §2 RATE_LIMIT_PER_SECOND]
 */
export function makeTokenBuckets(perSecond: number, burst: number, clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(apiKeyId) {
      if (perSecond === 0) return 0;
      const now = clock.monotonic();
      let bucket = buckets.get(apiKeyId);
      if (bucket === undefined) {
        if (buckets.size >= maxBuckets) dropFull(buckets, perSecond, burst, now);
        bucket = { tokens: burst, at: now };
        buckets.set(apiKeyId, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
      bucket.at = now;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}

function dropFull(buckets: Map<string, Bucket>, perSecond: number, burst: number, now: number): void {
  for (const [key, bucket] of buckets) {
    if (bucket.tokens + ((now - bucket.at) / 1_000) * perSecond >= burst) buckets.delete(key);
  }
}
