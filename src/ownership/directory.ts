/**
 * Which incarnation owns which channel, as this node remembers it. An entry is evicted when its owner is dead or answers that it is not the
 * owner. A hint only: the store decides who owns a channel. [architecture §4]
 */
import { lruCache } from '../kernel/lru-cache.ts';

/** About 20 MB; the least recently used entry is evicted. */
const maxRemembered = 100_000;

export class Directory {
  readonly #remembered = lruCache<string>(maxRemembered);

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
}
