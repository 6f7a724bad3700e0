import type { Clock } from '../../runtime/ports.ts';

/**
 * Fetches, or POSTs, of which one has ended a node: one after the other on a node, so that a second death has one cause. One that
 * takes long waits for the network: the next may begin. [faults: 102]
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #slowMs: number;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock, slowMs: number) {
    this.#clock = clock;
    this.#slowMs = slowMs;
  }

  run(act: () => Promise<void>): Promise<void> {
    const begun = this.#last.then(() => ({ ended: act() }));
    this.#last = begun.then(
      ({ ended }) =>
        new Promise((resolve) => {
          const cancel = this.#clock.after(this.#slowMs, resolve);
          const free = (): void => {
            cancel();
            resolve();
          };
          ended.then(free, free);
        }),
    );
    return begun.then(({ ended }) => ended);
  }
}
