import type { Clock } from '../../runtime/ports.ts';
import { limits } from '../limits.ts';

/**
 * Fetches of messages whose fetch has ended a node: one after the other on a node, so that a second death has one cause. One that takes
 * long waits for the network: the next may begin. [faults: 102]
 */
export class Suspects {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  run(fetching: () => Promise<void>): Promise<void> {
    const begun = this.#last.then(() => ({ ended: fetching() }));
    this.#last = begun.then(
      ({ ended }) =>
        new Promise((resolve) => {
          const cancel = this.#clock.after(limits.slowFetchMs, resolve);
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
