import { lruCache } from '../../kernel/lru-cache.ts';

/** Upstream repeats itself within minutes, and a busy node has some thousand events in one. */
const maxRecent = 10_000;

/** Drops repetitions: the ids of deliveries that were published of late. An event that is no webhook has no other record of having been published. */
export class RecentDeliveries {
  readonly #ids = lruCache<true>(maxRecent);

  /** False: it is there already. */
  addIfNew(id: string): boolean {
    if (this.#ids.get(id) === true) return false;
    this.#ids.set(id, true);
    return true;
  }
}
