/**
 * Which session owns which channel: Redis holds the answer, this node remembers it. A remembered owner that is dead or says it
 * is not the owner is evicted. A hint only: the epoch decides who may. [architecture §4]
 */
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';
import { script } from './script.ts';
import type { Script } from './script.ts';

const mostRemembered = 100_000;

export class Directory {
  readonly #redis: Redis;
  readonly #session: string;
  readonly #remembered = new Map<string, string>();
  readonly #claim: Script;
  readonly #find: Script;
  readonly #release: Script;

  constructor(redis: Redis, session: string) {
    this.#redis = redis;
    this.#session = session;
    this.#claim = script(redis, 'claim', 1);
    this.#find = script(redis, 'find', 1);
    this.#release = script(redis, 'release', 2);
  }

  remembered(channelId: string): string | undefined {
    return this.#remembered.get(channelId);
  }

  remember(channelId: string, session: string): void {
    if (this.#remembered.size >= mostRemembered) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(channelId, session);
  }

  evict(channelId: string): void {
    this.#remembered.delete(channelId);
  }

  evictSession(session: string): void {
    for (const [channelId, owner] of this.#remembered)
      if (owner === session) this.#remembered.delete(channelId);
  }

  /** The session that owns it under a live lease; null: nobody. Rejects when Redis does not answer. */
  async find(channelId: string): Promise<string | null> {
    const owner = String(await this.#find(keys.owners, channelId, keys.leasePrefix));
    if (owner === '') return null;
    this.remember(channelId, owner);
    return owner;
  }

  /** Claims it for this node: answers the session that has it now; null when this node's own lease is gone. */
  async claim(channelId: string): Promise<string | null> {
    const args = [keys.owners, channelId, this.#session, keys.leasePrefix, keys.ownedPrefix];
    const owner = String(await this.#claim(...args));
    if (owner === '') return null;
    this.remember(channelId, owner);
    return owner;
  }

  async release(channelId: string): Promise<void> {
    this.evict(channelId);
    await this.#release(keys.owners, keys.owned(this.#session), channelId, this.#session);
  }

  /** The channels a session has claimed. */
  ownedBy(session: string): Promise<string[]> {
    return this.#redis.smembers(keys.owned(session));
  }

  /** A session seen dead (its link closed, its port refuses): its lease need not be waited for. */
  async declareDead(session: string): Promise<void> {
    this.evictSession(session);
    await this.#redis.del(keys.lease(session));
  }
}
