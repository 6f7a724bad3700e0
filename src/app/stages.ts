import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';

type Stop = (leftMs: number) => Promise<void> | void;

/** Least time for any part: to close a store properly takes some ms. */
const minMs = 100;

/**
 * Records the order of the start; the stop is its exact reverse, within one time limit for all parts. A part that fails to stop, or hangs,
 * does not keep the others from stopping.
 */
export class Stages {
  readonly #clock: Clock;
  readonly #log: Log;
  #running: { name: string; stop: Stop }[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `stop` gets the time that it may take, ms. */
  started(name: string, stop: Stop): void {
    this.#running.push({ name, stop });
  }

  async stop(withinMs: number): Promise<void> {
    const endsAt = this.#clock.monotonic() + withinMs;
    const running = this.#running.toReversed();
    this.#running = [];
    for (const { name, stop } of running) {
      const leftMs = Math.max(minMs, Math.ceil(endsAt - this.#clock.monotonic()));
      try {
        if (!(await this.#within(leftMs, stop))) this.#log.warn({ stage: name }, 'stage.left-behind');
      } catch (error) {
        this.#log.error({ stage: name, error: asError(error) }, 'stage.stop-failed');
      }
    }
  }

  /** False: the part did not stop in time. */
  async #within(leftMs: number, stop: Stop): Promise<boolean> {
    let cancel = (): void => undefined;
    const late = new Promise<false>((resolve) => (cancel = this.#clock.after(leftMs, () => resolve(false))));
    const stopped = (async () => stop(leftMs))().then(() => true);
    try {
      return await Promise.race([stopped, late]);
    } finally {
      cancel();
    }
  }
}
