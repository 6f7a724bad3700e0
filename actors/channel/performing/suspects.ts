import type { Clock } from '../../runtime/ports.ts';

const nothing = Promise.resolve();

/**
 * Fetches, or POSTs, of which one has ended a node: one after the other on a node, so that a second death has one cause. One that
 * takes long waits for the network: the next may begin. [faults: 102, 151]
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #slowMs: number;
  #last: Promise<void> = nothing;
  #begun: Promise<unknown> = nothing;

  constructor(clock: Clock, slowMs: number) {
    this.#clock = clock;
    this.#slowMs = slowMs;
  }

  /** Its turn: what is to be alone begins within it, or never. */
  run(turn: () => void): void {
    this.#last = this.#last.then(() => {
      this.#begun = nothing;
      turn();
      return this.#awaitEnd(this.#begun);
    });
  }

  /** Said within the turn. */
  begin(work: Promise<unknown>): void {
    this.#begun = work;
  }

  #awaitEnd(work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.#slowMs, resolve);
      const free = (): void => {
        cancel();
        resolve();
      };
      work.then(free, free);
    });
  }
}
