import type { Redis } from 'ioredis';
import { StartError } from './listener.ts';

/**
 * Scripts of ours make the names of their keys, which may be of several slots. A Redis that is away is not asked: it says later, with
 * every command, what is wrong. Throws StartError.
 */
export async function refuseRedisCluster(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return;
  const said = await redis.info('cluster').catch(() => '');
  if (/^cluster_enabled:1/m.test(said))
    throw new StartError(
      'REDIS_URL names a node of a Redis Cluster: supported are one server (redis://, rediss://) and Sentinels (redis+sentinel://)',
    );
}
