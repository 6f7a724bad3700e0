import { lruCache } from '../../kernel/lru-cache.ts';

/** Upstream repeats itself within minutes, and a busy node has some thousand events in one. */
const maxShown = 10_000;

/** The deliveries that were shown of late. An event that is no webhook has no other record of having been told. */
export class Shown {
  readonly #ids = lruCache<true>(maxShown);

  isNew(id: string): boolean {
    if (this.#ids.get(id) === true) return false;
    this.#ids.set(id, true);
    return true;
  }
}
