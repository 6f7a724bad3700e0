import { lruCache } from '../../../src/kernel/lru-cache.ts';

/** Endpoints of ordered channels whose last place is remembered; the owner of another reads what the store has. */
const maxTold = 10_000;

/** The most deliveries that a node makes in its life, far above any. A place is an exact number while epochs are below 2 million. */
const perEpoch = 2 ** 32;

/**
 * Places of deliveries in the order of their channel: each epoch's behind those of the epochs before, and within it as this node makes
 * them. Clocks have no part in it.
 */
export class Places {
  #made = 0;
  readonly #told = lruCache<number>(maxTold);

  next(epoch: number): number {
    this.#made += 1;
    return epoch * perEpoch + this.#made;
  }

  /**
   * Notes the last place that the owner of an endpoint is told of; returns the one before, or null if it is not known: between two epochs of
   * this node another one may have told.
   */
  noteTold(ownerId: string, place: number): number | null {
    const before = this.#told.get(ownerId);
    this.#told.set(ownerId, place);
    return before !== undefined && epochOf(before) === epochOf(place) ? before : null;
  }
}

function epochOf(place: number): number {
  return Math.floor(place / perEpoch);
}
