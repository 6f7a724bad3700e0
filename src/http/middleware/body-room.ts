/** A body on its way, whose signature was not checked. */
export interface Reading {
  bytes: number;
  refuse(): void;
}

const maxBytes = 64 * 1024 * 1024;

/**
 * Anybody can announce a signature: what is not checked yet takes no more than this of a node's memory, all posts together. Beyond it
 * the post goes that has been on its way for longest: the platform's come in one breath. [faults: 92, I11]
 */
export class BodyRoom {
  readonly #max: number;
  readonly #refused: () => void;
  /** The oldest first. */
  readonly #readings = new Set<Reading>();
  #taken = 0;

  /** `refused` is told of each that had to go. */
  constructor(refused: () => void = () => undefined, max = maxBytes) {
    this.#refused = refused;
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  begin(refuse: () => void): Reading {
    const reading = { bytes: 0, refuse };
    this.#readings.add(reading);
    return reading;
  }

  /** Has refused it when it was the oldest itself. */
  grow(reading: Reading, bytes: number): void {
    if (!this.#readings.has(reading)) return;
    reading.bytes += bytes;
    this.#taken += bytes;
    for (const oldest of this.#readings) {
      if (this.#taken <= this.#max) return;
      this.end(oldest);
      this.#refused();
      oldest.refuse();
    }
  }

  end(reading: Reading): void {
    if (this.#readings.delete(reading)) this.#taken -= reading.bytes;
  }
}
