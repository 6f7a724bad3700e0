import type { Clock } from '../../runtime/ports.ts';

const nothing = Promise.resolve();

/**
 * Runs the fetches, or the POSTs, that may have crashed a node one after the other, so that a second crash has one cause. A suspect that
 * takes longer than `slowMs` is waiting for the network: the next may begin. [faults: 102, 151]
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

  /** Queues `turn`, in which the suspect begins (`begin`) or is dropped. */
  run(turn: () => void): void {
    this.#last = this.#last.then(() => {
      this.#begun = nothing;
      turn();
      return this.#awaitEnd(this.#begun);
    });
  }

  /** Called within a turn; the next turn waits for `work`. */
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
