import type { Redis } from 'ioredis';

/**
 * How long (ms) the key has to live, which is made at most `maxMs`: without an end, or with a far one, whatever waits for the key to
 * go would wait for ever. 0: it is gone.
 */
export async function cutLife(redis: Redis, key: string, maxMs: number): Promise<number> {
  const leftMs = await redis.pttl(key);
  if (leftMs === gone) return 0;
  if (leftMs >= 0 && leftMs <= maxMs) return leftMs;
  await redis.pexpire(key, maxMs);
  return maxMs;
}

const gone = -2;
