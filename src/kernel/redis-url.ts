/**
 * REDIS_URL: one server, or the Sentinels that know the primary of a name. Parsed here only, so that the setting and every Redis client
 * interpret it the same way. Parameters have the same names as in MONGODB_URI.
 *
 *   redis://user:password@host:6379/0        rediss://…?tlsCAFile=/etc/ca.pem
 *   redis+sentinel://user:password@host:26379,host:26379/name?tls=1&db=0&sentinelUser=…&sentinelPassword=…
 */
import { isIPv6 } from 'node:net';
import { readFileSync } from 'node:fs';
import { jitteredMs } from './retry.ts';

export interface Host {
  host: string;
  port: number;
}

interface Credentials {
  username?: string;
  password?: string;
}

export interface RedisAddress {
  /** The server, or the Sentinels. */
  hosts: readonly Host[];
  /** The primary's name at the Sentinels; null: the host is the server. */
  name: string | null;
  /** Credentials of the server, also behind Sentinels. */
  user: Credentials;
  sentinelUser: Credentials;
  db: number;
  /** For every connection, also to Sentinels; null: without TLS. */
  tls: { caFile: string | null } | null;
}

const shape =
  /^(redis|rediss|redis\+sentinel):\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/;
const defaultPort = { server: 6_379, sentinel: 26_379 };

/** null: not a Redis URL, or with invalid or contradictory parts. */
export function parseRedisUrl(text: string): RedisAddress | null {
  const [, scheme, userInfo = '', hostList = '', path = '', query = ''] = shape.exec(text) ?? [];
  if (scheme === undefined) return null;
  const isSentinel = scheme === 'redis+sentinel';
  const hosts = hostList.split(',').map((host) => parseHost(host, isSentinel ? 'sentinel' : 'server'));
  const parameters = parseParameters(query, isSentinel ? ofSentinels : ofServer);
  const user = parseUser(userInfo);
  const db = parseDb(isSentinel ? parameters?.get('db') : path || parameters?.get('db'));
  if (parameters === null || user === null || db === null || !hosts.every((host) => host !== null))
    return null;
  if (isSentinel ? !/^[\w.-]+$/.test(path) : hosts.length > 1) return null;
  const caFile = parameters.get('tlsCAFile') ?? null;
  const isEncrypted = scheme === 'rediss' || parameters.get('tls') === '1';
  if (!isEncrypted && caFile !== null) return null;
  return {
    hosts,
    name: isSentinel ? path : null,
    user,
    sentinelUser: readCredentials(parameters.get('sentinelUser'), parameters.get('sentinelPassword')),
    db,
    tls: isEncrypted ? { caFile } : null,
  };
}

/** The address of a URL that the settings have validated. */
export function requireAddress(url: string): RedisAddress {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error('REDIS_URL is no URL of Redis');
  return address;
}

/** Hosts and ports, without credentials. */
export function redisHosts(url: string): string {
  return requireAddress(url)
    .hosts.map(({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`)
    .join(',');
}

function parseHost(text: string, kind: 'server' | 'sentinel'): Host | null {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? defaultPort[kind] : Number(port);
  if (host === undefined || number === 0 || number > 65_535) return null;
  return bracketed !== undefined && !isIPv6(bracketed) ? null : { host, port: number };
}

type Check = (value: string) => boolean;

const isFlag: Check = (value) => value === '0' || value === '1';
const isText: Check = (value) => value !== '';
const ofServer: Record<string, Check> = { db: isText, tlsCAFile: isText };
const ofSentinels: Record<string, Check> = {
  ...ofServer,
  tls: isFlag,
  sentinelUser: isText,
  sentinelPassword: isText,
};

/** null: a parameter is unknown, given twice, or has an invalid value. */
function parseParameters(query: string, known: Record<string, Check>): Map<string, string> | null {
  const given = [...new URLSearchParams(query)];
  const isRight = given.every(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value) === true);
  const parameters = new Map(given);
  return isRight && parameters.size === given.length ? parameters : null;
}

/** null: invalid percent-encoding. */
function parseUser(userInfo: string): Credentials | null {
  const colon = userInfo.indexOf(':');
  const [name, password] = colon < 0 ? [userInfo, ''] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
  try {
    return readCredentials(decodeURIComponent(name), decodeURIComponent(password));
  } catch {
    return null;
  }
}

function readCredentials(username = '', password = ''): Credentials {
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
}

function parseDb(text = '0'): number | null {
  return /^\d{1,5}$/.test(text || '0') ? Number(text) : null;
}

/** Of reconnects; jittered, because all nodes lose Redis or the Sentinels at the same moment. */
export const redisBackOff = { firstMs: 20, maxMs: 1_000 };
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
    sentinelRetryStrategy: (attempt: number) => jitteredMs(redisBackOff, attempt - 1),
  };
}

/** Options of `tls.connect`; null: without TLS. Throws when the CA file can't be read. */
export function tlsOptions({ tls }: RedisAddress): { ca?: Buffer } | null {
  if (tls === null) return null;
  return tls.caFile === null ? {} : { ca: readFileSync(tls.caFile) };
}
