/**
 * Which incarnation owns which channel: Redis has the answer, and this node caches it. A cached owner is evicted when it is dead or answers
 * that it is not the owner. A hint only: the epoch decides who may act. [architecture §4]
 */
import type { Redis } from 'ioredis';
import { lruCache } from '../kernel/lru-cache.ts';
import { batchPerTick } from '../kernel/batches.ts';
import { keys, script } from './keys.ts';

/** Channels per script: about half a millisecond of Redis. */
const perScript = 200;

/**
 * Batches the calls of one tick: a take-over asks for a thousand channels at once, and a command for each would keep Redis and this node
 * busy.
 */
function together(
  run: (channelIds: readonly string[]) => Promise<unknown>,
): (channelId: string) => Promise<unknown> {
  return batchPerTick<string, unknown>(perScript, async (channelIds) => {
    const answers = await run(channelIds);
    return Array.isArray(answers) ? answers : [];
  });
}

const maxIdLength = 100;
/** About 20 MB; the least recently used entry is evicted. */
const maxRemembered = 100_000;

export class Directory {
  readonly #redis: Redis;
  readonly #remembered = lruCache<string>(maxRemembered);
  readonly #claim: (channelId: string) => Promise<unknown>;
  readonly #find: (channelId: string) => Promise<unknown>;
  readonly #release: (channelId: string) => Promise<unknown>;

  constructor(redis: Redis, incarnation: string) {
    this.#redis = redis;
    const { owners, owned, leasePrefix, ownedPrefix } = keys;
    const claim = script(redis, 'claim', 1);
    const find = script(redis, 'find', 1);
    const release = script(redis, 'release', 2);
    this.#claim = together((ids) => claim(owners, incarnation, leasePrefix, ownedPrefix, ...ids));
    this.#find = together((ids) => find(owners, leasePrefix, ...ids));
    this.#release = together((ids) => release(owners, owned(incarnation), incarnation, ...ids));
  }

  /** Number of cached owners. */
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

  /** Evicts every channel of an incarnation. */
  evictOwner(incarnation: string): void {
    for (const [channelId, owner] of this.#remembered.entries())
      if (owner === incarnation) this.#remembered.delete(channelId);
  }

  /** The incarnation that owns the channel under a live lease; null: nobody. Rejects when Redis does not answer. */
  async find(channelId: string): Promise<string | null> {
    return this.#learned(channelId, await this.#find(channelId));
  }

  /**
   * Claims the channel for this node. Returns the incarnation that owns it now; null: this node's own lease is gone. Rejects when Redis
   * does not answer.
   */
  async claim(channelId: string): Promise<string | null> {
    return this.#learned(channelId, await this.#claim(channelId));
  }

  /** Rejects when Redis does not answer. */
  async release(channelId: string): Promise<void> {
    this.evict(channelId);
    await this.#release(channelId);
  }

  /** The channels that an incarnation has claimed; entries too long to be a channel id are removed. */
  async ownedBy(incarnation: string): Promise<string[]> {
    const listed = await this.#redis.smembers(keys.owned(incarnation));
    await this.disown(
      incarnation,
      listed.filter((channelId) => channelId.length > maxIdLength),
    );
    return listed.filter((channelId) => channelId.length <= maxIdLength);
  }

  /** Removes channels that it never had from its set. Rejects when Redis does not answer. */
  async disown(incarnation: string, channelIds: readonly string[]): Promise<void> {
    for (let at = 0; at < channelIds.length; at += perScript)
      await this.#redis.srem(keys.owned(incarnation), ...channelIds.slice(at, at + perScript));
  }

  countOwnedBy(incarnation: string): Promise<number> {
    return this.#redis.scard(keys.owned(incarnation));
  }

  /** Deletes the lease of a dead incarnation (its link closed, its port refuses), so that nobody waits for the lease to end. */
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
