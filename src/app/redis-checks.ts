/**
 * What a Redis says about itself at the start of a node, and of its eviction whenever it is connected again. One that does not answer is not
 * checked: every later command reports that.
 */
import type { Redis } from 'ioredis';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { StartError } from './listener.ts';

/**
 * Throws StartError for a Redis Cluster: our Lua scripts build key names, which may belong to several hash slots. Also for a database that
 * is not there, as where a provider offers one alone: the client would use the first instead, which others may use, and no job would run.
 */
export async function checkRedis(redis: Redis, log: Log): Promise<void> {
  redis.on('ready', () => void lookForEviction(redis, log));
  if (redis.status !== 'ready') return;
  const { db = 0 } = redis.options;
  if (db !== 0) await redis.select(db).catch((error: unknown) => refuseDatabase(db, asError(error)));
  const said = await redis.info('cluster').catch(() => '');
  if (/^cluster_enabled:1/m.test(said))
    throw new StartError(
      'REDIS_URL names a node of a Redis Cluster: supported are one server (redis://, rediss://) and Sentinels (redis+sentinel://)',
    );
  await lookForEviction(redis, log);
}

/** Also of a Redis that came after the node, was started anew with other settings, or is another one after a failover. [faults: 558] */
async function lookForEviction(redis: Redis, log: Log): Promise<void> {
  warnOfEviction(await redis.info('memory').catch(() => ''), log);
}

/** An error without a name of Redis' own is one of the connection. */
function refuseDatabase(db: number, { name, message }: Error): void {
  if (name === 'ReplyError')
    throw new StartError(`REDIS_URL names the database ${db}, and Redis refuses it: ${message}`);
}

/** Leases, owners and queued jobs would disappear, one by one, while everything looks healthy. */
function warnOfEviction(said: string, log: Log): void {
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(said) ?? [];
  const [, bytes = '0'] = /^maxmemory:(\d+)/m.exec(said) ?? [];
  if (policy !== 'noeviction' && bytes !== '0')
    log.warn({ policy, maxmemory: Number(bytes) }, 'redis.evicts-keys');
}
