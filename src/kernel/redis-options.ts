/** How the clients of Redis are told where it is. They read no URL by themselves: each would mean something else by it. */
import { readFileSync } from 'node:fs';
import { requireAddress } from './redis-url.ts';
import type { RedisAddress } from './redis-url.ts';
import { jitteredMs } from './retry.ts';

/** All nodes lose the Sentinels at the same moment. */
const backOff = { firstMs: 20, maxMs: 1_000 };
/** Of a Sentinel that accepts and says nothing. */
const sentinelMs = 1_000;

/** The options of ioredis. Throws when the CA can't be read. */
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
    updateSentinels: false, // those of the URL can be reached from here; what others call each other may not
    connectTimeout: sentinelMs,
    sentinelCommandTimeout: sentinelMs,
    sentinelRetryStrategy: (attempt: number) => jitteredMs(backOff, attempt - 1),
  };
}

/** What `tls.connect` takes; null: in clear. Throws when the CA can't be read. */
export function tlsOptions({ tls }: RedisAddress): { ca?: Buffer } | null {
  if (tls === null) return null;
  return tls.caFile === null ? {} : { ca: readFileSync(tls.caFile) };
}
