import type { Redis } from 'ioredis';

/**
 * Limits a key's remaining lifetime to `maxMs` and returns it in ms; 0 if the key is gone. A key without an expiry, or with a far one,
 * would otherwise block for ever whoever waits for it to expire.
 */
export async function cutLife(redis: Redis, key: string, maxMs: number): Promise<number> {
  const leftMs = await redis.pttl(key);
  if (leftMs === noSuchKey) return 0;
  if (leftMs >= 0 && leftMs <= maxMs) return leftMs;
  await redis.pexpire(key, maxMs);
  return maxMs;
}

const noSuchKey = -2;
