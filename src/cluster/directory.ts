/**
 * Which incarnation owns which channel: Redis holds the answer, this node remembers it. A remembered owner that is dead or says it
 * is not the owner is evicted. A hint only: the epoch decides who may. [architecture §4]
 */
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { keys } from './keys.ts';
import { script } from './script.ts';
import type { Script } from './script.ts';

/** About 20 MB; the one not asked for longest is dropped. */
const maxRemembered = 100_000;

export class Directory {
  readonly #redis: Redis;
  readonly #incarnation: string;
  readonly #remembered = new LRUCache<string, string>({ max: maxRemembered });
  readonly #claim: Script;
  readonly #find: Script;
  readonly #release: Script;

  constructor(redis: Redis, incarnation: string) {
    this.#redis = redis;
    this.#incarnation = incarnation;
    this.#claim = script(redis, 'claim', 1);
    this.#find = script(redis, 'find', 1);
    this.#release = script(redis, 'release', 2);
  }

  /** How many owners are remembered. */
  get size(): number {
    return this.#remembered.size;
  }

  remembered(channelId: string): string | undefined {
    return this.#remembered.get(channelId);
  }

  remember(channelId: string, incarnation: string): void {
    this.#remembered.set(channelId, incarnation);
  }

  evict(channelId: string): void {
    this.#remembered.delete(channelId);
  }

  /** All that an incarnation owned. */
  evictOwner(incarnation: string): void {
    for (const [channelId, owner] of this.#remembered.entries())
      if (owner === incarnation) this.#remembered.delete(channelId);
  }

  /** The incarnation that owns it under a live lease; null: nobody. Rejects when Redis does not answer. */
  async find(channelId: string): Promise<string | null> {
    return this.#learned(channelId, await this.#find(keys.owners, channelId, keys.leasePrefix));
  }

  /** Claims it for this node: the incarnation that has it now; null: this node's own lease is gone. Rejects as `find`. */
  async claim(channelId: string): Promise<string | null> {
    const args = [keys.owners, channelId, this.#incarnation, keys.leasePrefix, keys.ownedPrefix];
    return this.#learned(channelId, await this.#claim(...args));
  }

  /** Rejects when Redis does not answer. */
  async release(channelId: string): Promise<void> {
    this.evict(channelId);
    await this.#release(keys.owners, keys.owned(this.#incarnation), channelId, this.#incarnation);
  }

  /** The channels an incarnation has claimed. */
  ownedBy(incarnation: string): Promise<string[]> {
    return this.#redis.smembers(keys.owned(incarnation));
  }

  countOwnedBy(incarnation: string): Promise<number> {
    return this.#redis.scard(keys.owned(incarnation));
  }

  /** An incarnation seen dead (its link closed, its port refuses): its lease need not be waited for. */
  async declareDead(incarnation: string): Promise<void> {
    this.evictOwner(incarnation);
    await this.#redis.del(keys.lease(incarnation));
  }

  #learned(channelId: string, answer: unknown): string | null {
    if (typeof answer !== 'string' || answer === '') return null;
    this.remember(channelId, answer);
    return answer;
  }
}
