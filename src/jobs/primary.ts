/**
 * Finds the server that bee-queue's client connects to. The client has no Sentinel support, so the Sentinels are asked each time a queue is
 * opened.
 */
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
  tls?: { ca?: Buffer };
}

export class Primary {
  readonly #address: RedisAddress;
  readonly #tls: { ca?: Buffer } | null;
  /** Counts the questions, so that each lookup starts with another Sentinel: one that is cut off keeps naming an old primary. */
  #asked = 0;

  constructor(redisUrl: string) {
    this.#address = requireAddress(redisUrl);
    this.#tls = tlsOptions(this.#address);
  }

  /** Rejects if no Sentinel answers. */
  async find(): Promise<Server> {
    const { user, db, name } = this.#address;
    return {
      ...(name === null ? this.#nextHost() : await this.#askSentinels(name)),
      db,
      ...(user.username === undefined ? {} : { user: user.username }),
      ...(user.password === undefined ? {} : { password: user.password }),
      ...(this.#tls === null ? {} : { tls: this.#tls }),
    };
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
