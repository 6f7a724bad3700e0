/** Connection options for Redis clients. Clients do not parse the URL themselves, because each would interpret it differently. */
import { readFileSync } from 'node:fs';
import { requireAddress } from './redis-url.ts';
import type { RedisAddress } from './redis-url.ts';
import { jitteredMs } from './retry.ts';

/** Jittered, because all nodes lose the Sentinels at the same moment. */
const backOff = { firstMs: 20, maxMs: 1_000 };
/** Time-out for a Sentinel that accepts the connection and never answers. */
const sentinelMs = 1_000;

/** The options of ioredis. Throws when the CA file can't be read. */
export function ioredisOptions(url: string): object {
  const address = requireAddress(url);
  const tls = tlsOptions(address);
  const { hosts, name, user, sentinelUser, db } = address;
  if (name === null) return { ...hosts[0], ...user, db, ...(tls === null ? {} : { tls }) };
  return {
    sentinels: hosts,
    name,
    ...user,
    db,
    sentinelUsername: sentinelUser.username,
    sentinelPassword: sentinelUser.password,
    ...(tls === null ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    updateSentinels: false, // the Sentinels' own addresses for each other may not be reachable from here
    connectTimeout: sentinelMs,
    sentinelCommandTimeout: sentinelMs,
    sentinelRetryStrategy: (attempt: number) => jitteredMs(backOff, attempt - 1),
  };
}

/** Options of `tls.connect`; null: without TLS. Throws when the CA file can't be read. */
export function tlsOptions({ tls }: RedisAddress): { ca?: Buffer } | null {
  if (tls === null) return null;
  return tls.caFile === null ? {} : { ca: readFileSync(tls.caFile) };
}
