/**
 * What REDIS_URL says: one server, or the Sentinels that know the primary of a name. Read here once, so that the setting and every client
 * of Redis mean the same. Parameters have the names that they have in MONGODB_URI.
 *
 *   redis://user:password@host:6379/0        rediss://…?tlsCAFile=/etc/ca.pem
 *   redis+sentinel://user:password@host:26379,host:26379/name?tls=1&db=0&sentinelUser=…&sentinelPassword=…
 */
import { isIPv6 } from 'node:net';

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
  /** What the Sentinels call the primary; null: the host is the server. */
  name: string | null;
  /** Of the server, behind Sentinels too. */
  user: Credentials;
  sentinelUser: Credentials;
  db: number;
  /** Of every connection, to Sentinels too; null: in clear. */
  tls: { caFile: string | null } | null;
}

const shape =
  /^(redis|rediss|redis\+sentinel):\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/;
const defaultPort = { server: 6_379, sentinel: 26_379 };

/** null: it is no such URL, or says what can't be. */
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

/** Of a URL that the settings have taken. */
export function requireAddress(url: string): RedisAddress {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error('REDIS_URL is no URL of Redis');
  return address;
}

/** Hosts and ports, without what may be a password. */
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

/** null: one is unknown, said twice, or has no such value. */
function parseParameters(query: string, known: Record<string, Check>): Map<string, string> | null {
  const said = [...new URLSearchParams(query)];
  const isRight = said.every(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value) === true);
  const parameters = new Map(said);
  return isRight && parameters.size === said.length ? parameters : null;
}

/** null: it is not percent-encoded. */
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
