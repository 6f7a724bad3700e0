/**
 * Finds the server that bee-queue's client connects to. The client has no Sentinel support, and looks a name up for IPv4 alone, so the
 * Sentinels and the name server are asked each time a queue is opened.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Redis } from 'ioredis';
import { requireAddress, tlsOptions } from '../kernel/redis-url.ts';
import type { Host, RedisAddress } from '../kernel/redis-url.ts';

/** Longest time to wait for one Sentinel. */
const answerMs = 1_000;

/** Connection options of node_redis. */
export interface Server extends Host {
  user?: string;
  password?: string;
  db: number;
  tls?: { ca?: Buffer; servername?: string };
}

/** Resolves a name to its addresses, of either family. Rejects if it has none. */
type Lookup = (name: string) => Promise<readonly string[]>;

/** IPv4 first: where a name has both, a server that listens on both is the rule, and one on IPv4 alone more frequent than its opposite. */
const lookUp: Lookup = async (name) =>
  (await systemLookup(name, { all: true, verbatim: false })).map(({ address }) => address);

export class Primary {
  readonly #address: RedisAddress;
  readonly #tls: { ca?: Buffer } | null;
  /** Counts the questions, so that each lookup starts with another Sentinel: one that is cut off keeps naming an old primary. */
  #asked = 0;
  /** Counts the queues opened, so that each one tries the next address of a name. */
  #opened = 0;
  readonly #lookup: Lookup;

  constructor(redisUrl: string, lookup: Lookup = lookUp) {
    this.#lookup = lookup;
    this.#address = requireAddress(redisUrl);
    this.#tls = tlsOptions(this.#address);
  }

  /** Rejects if no Sentinel answers, or the server's name has no address. */
  async find(): Promise<Server> {
    const { user, db, name } = this.#address;
    const { host, port } = name === null ? this.#nextHost() : await this.#askSentinels(name);
    return {
      host: await this.#addressOf(host),
      port,
      db,
      ...(user.username === undefined ? {} : { user: user.username }),
      ...(user.password === undefined ? {} : { password: user.password }),
      ...(this.#tls === null
        ? {}
        : { tls: { ...this.#tls, ...(isIP(host) === 0 ? { servername: host } : {}) } }),
    };
  }

  /** [faults: 521] */
  async #addressOf(host: string): Promise<string> {
    if (isIP(host) !== 0) return host;
    const addresses = await this.#lookup(host);
    const address = addresses[this.#opened % addresses.length];
    this.#opened += 1;
    if (address === undefined) throw new Error(`${host} has no address`);
    return address;
  }

  async #askSentinels(name: string): Promise<Host> {
    let why = 'none of them knows it';
    for (let left = this.#address.hosts.length; left > 0; left -= 1) {
      try {
        const answer = await this.#ask(this.#nextHost(), name);
        if (answer !== null) return answer;
      } catch (error) {
        why = error instanceof Error ? error.message : why;
      }
    }
    throw new Error(`no Sentinel tells where ${name} is: ${why}`);
  }

  #nextHost(): Host {
    const { hosts } = this.#address;
    const host = hosts[this.#asked % hosts.length];
    this.#asked += 1;
    if (host === undefined) throw new Error('REDIS_URL names no host');
    return host;
  }

  /** Returns null if the Sentinel does not know the name. */
  async #ask(sentinel: Host, name: string): Promise<Host | null> {
    const redis = new Redis({
      ...sentinel,
      ...this.#address.sentinelUser,
      ...(this.#tls === null ? {} : { tls: this.#tls }),
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: () => null,
      connectTimeout: answerMs,
      commandTimeout: answerMs,
    });
    redis.on('error', () => undefined); // the command's rejection reports it
    try {
      const answer: unknown = await redis.call('SENTINEL', 'get-master-addr-by-name', name);
      return Array.isArray(answer) ? { host: String(answer[0]), port: Number(answer[1]) } : null;
    } finally {
      redis.disconnect();
    }
  }
}
