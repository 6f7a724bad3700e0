/**
 * The connections to Redis. Redis is a hint and may be away at any time: a command is answered or refused within a bound, never
 * queued for later (a claim that runs a minute late is a lie), never repeated by the client (who asked decides), and the
 * connection comes back by itself. [architecture §1, §7]
 */
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { Outage } from '../kernel/outage.ts';
import { ioredisOptions } from '../kernel/redis-options.ts';
import { jitteredMs } from '../kernel/retry.ts';

/** Longer than a Lua script over thousands of keys takes, shorter than a renewal interval of the default lease. */
const commandMs = 1_000;
const connectMs = 1_000;
/** A connection that has been silent this long with commands waiting is given up: a lost TCP state looks like a slow Redis. */
const silentMs = 3_000;
/** All nodes lose Redis at the same moment. */
const backOff = { firstMs: 20, maxMs: 1_000 };

export interface RedisConnections {
  /** For everything but the lease; commands of one tick are one write. */
  main: Redis;
  /** The lease's own: a busy queue must not starve the renewal. */
  lease: Redis;
  close(): void;
}

/**
 * Opens both connections. Resolves once the first attempt of each succeeded or failed: after that they reconnect by themselves,
 * and every command meanwhile is refused at once. Never rejects for a Redis that is away.
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
        redis.removeAllListeners('close'); // what this node ends itself is no outage
        redis.disconnect();
      }
    },
  };
}

function options(): RedisOptions {
  return {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0, // what was in flight when the connection broke is refused at once
    commandTimeout: commandMs,
    connectTimeout: connectMs,
    socketTimeout: silentMs,
    disconnectTimeout: commandMs,
    maxLoadingRetryTime: backOff.maxMs,
    disableClientInfo: true,
    retryStrategy: (attempt) => jitteredMs(backOff, attempt - 1),
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
    redis.once('error', () => resolve()); // no Sentinel answers: nothing was opened that could close
  });
}
