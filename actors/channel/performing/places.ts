/** The most deliveries that a node makes in its life, far above any. A place is an exact number while epochs are below 2 million. */
const perEpoch = 2 ** 32;

/**
 * Places of deliveries in the order of their channel: each epoch's behind those of the epochs before, and within it as this node makes
 * them. Clocks have no part in it.
 */
export class Places {
  #made = 0;

  next(epoch: number): number {
    this.#made += 1;
    return epoch * perEpoch + this.#made;
  }
}
