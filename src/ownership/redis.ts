/**
 * The connections to Redis. Redis is a hint and may be away at any time, so a command is answered or rejected within a bound. It is never
 * queued for later, because a renewal must not run a minute late, and never repeated by the client, because the caller decides that. The
 * connections reconnect by themselves. [architecture §1, §7]
 */
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { Outage } from '../kernel/outage.ts';
import { ioredisOptions, redisBackOff } from '../kernel/redis-url.ts';
import { jitteredMs } from '../kernel/retry.ts';

/** Longer than a Lua script over thousands of keys takes, shorter than a renewal interval of the default lease. */
const commandMs = 1_000;
const connectMs = 1_000;
/** A connection with commands in flight that is silent this long is closed: a lost TCP connection looks like a slow Redis. */
const silentMs = 3_000;

export interface RedisConnections {
  /** For everything but the lease; commands of one tick share one write. */
  main: Redis;
  /** The lease's own connection, so that a busy queue can't starve the renewal. */
  lease: Redis;
  close(): void;
}

/**
 * Opens both connections. Resolves once the first attempt of each has succeeded or failed; afterwards they reconnect by themselves, and
 * commands are rejected at once until then. Never rejects because Redis is away.
 */
export async function openRedis(url: string, outage: Outage): Promise<RedisConnections> {
  const main = open(url, { ...options(), enableAutoPipelining: true }, { name: 'main', outage });
  const lease = open(url, options(), { name: 'lease', outage });
  await Promise.all([firstAttempt(main), firstAttempt(lease)]);
  return {
    main,
    lease,
    close() {
      for (const redis of [main, lease]) {
        redis.removeAllListeners('close'); // a connection that this node closes is not an outage
        redis.disconnect();
      }
    },
  };
}

function options(): RedisOptions {
  return {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0, // commands in flight when the connection breaks are rejected at once
    commandTimeout: commandMs,
    connectTimeout: connectMs,
    socketTimeout: silentMs,
    disconnectTimeout: commandMs,
    maxLoadingRetryTime: redisBackOff.maxMs,
    disableClientInfo: true,
    retryStrategy: (attempt) => jitteredMs(redisBackOff, attempt - 1),
    // After a failover the address may belong to a replica: only a new connection finds the primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}

function open(
  url: string,
  withOptions: RedisOptions,
  { name, outage }: { name: string; outage: Outage },
): Redis {
  const redis = new Redis({ ...ioredisOptions(url), ...withOptions });
  redis.on('ready', () => outage.back(name));
  redis.on('error', (error: unknown) => outage.away(name, error));
  redis.on('close', () => outage.away(name));
  return redis;
}

function firstAttempt(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', () => resolve());
    redis.once('close', () => resolve());
    // No Sentinel answers: no connection was opened, so there is no `close`. After a refusal of Redis itself there is one of the two.
    redis.on('error', ({ name }: Error) => {
      if (name !== 'ReplyError') resolve();
    });
  });
}
