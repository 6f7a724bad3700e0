/**
 * What a Redis says about itself at the start of a node, and of its eviction whenever it is connected again or a lease was lost. One that does
 * not answer is not checked: every later command reports that.
 */
import type { Redis } from 'ioredis';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { StartError } from './listener.ts';

/**
 * Throws StartError for a Redis Cluster: our Lua scripts build key names, which may belong to several hash slots. Also for a database that
 * is not there, as where a provider offers one alone: the client would use the first instead, which others may use, and no job would run.
 * Returns a function that looks again for eviction.
 */
export async function checkRedis(redis: Redis, log: Log): Promise<() => void> {
  const eviction = new Eviction(redis, log);
  redis.on('ready', () => void eviction.look());
  const lookAgain = (): void => void eviction.look();
  if (redis.status !== 'ready') return lookAgain;
  const { db = 0 } = redis.options;
  if (db !== 0) await redis.select(db).catch((error: unknown) => refuseDatabase(db, asError(error)));
  const said = await redis.info('cluster').catch(() => '');
  if (/^cluster_enabled:1/m.test(said))
    throw new StartError(
      'REDIS_URL names a node of a Redis Cluster: supported are one server (redis://, rediss://) and Sentinels (redis+sentinel://)',
    );
  await eviction.look();
  return lookAgain;
}

/** An error without a name of Redis' own is one of the connection. */
function refuseDatabase(db: number, { name, message }: Error): void {
  if (name === 'ReplyError')
    throw new StartError(`REDIS_URL names the database ${db}, and Redis refuses it: ${message}`);
}

/**
 * Leases, owners and queued jobs would disappear, one by one, while everything looks healthy. Also with a Redis that came after the node, has
 * other settings now, or is another one after a failover: each policy is told once. [faults: 558]
 */
class Eviction {
  readonly #redis: Redis;
  readonly #log: Log;
  #told = 'noeviction';

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  async look(): Promise<void> {
    const said = await this.#redis.info('memory').catch(() => '');
    const [, bytes = ''] = /^maxmemory:(\d+)/m.exec(said) ?? [];
    const [, named = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(said) ?? [];
    if (bytes === '') return; // it did not answer, or does not say it
    const policy = bytes === '0' ? 'noeviction' : named;
    if (policy === this.#told) return;
    this.#told = policy;
    if (policy !== 'noeviction') this.#log.warn({ policy, maxmemory: Number(bytes) }, 'redis.evicts-keys');
  }
}
