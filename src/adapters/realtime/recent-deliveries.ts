import { lruCache } from '../../kernel/lru-cache.ts';

/** Upstream redelivers within minutes, and a busy node has some thousand events per minute. */
const maxRecent = 10_000;

/** Ids of recently published deliveries, to drop duplicates. For an event without a webhook there is no other record of its publication. */
export class RecentDeliveries {
  readonly #ids = lruCache<true>(maxRecent);

  /** False if the id is recent. */
  addIfNew(id: string): boolean {
    if (this.#ids.get(id) === true) return false;
    this.#ids.set(id, true);
    return true;
  }
}
