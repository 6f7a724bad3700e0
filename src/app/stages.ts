import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';

type Stop = (leftMs: number) => Promise<void> | void;

/** What a part gets in any case: to close a store properly takes some ms. */
const minMs = 100;

/**
 * Start order as it happened; stop is its exact reverse, within a time for all. One part that fails to stop, or hangs, does not keep
 * the others up.
 */
export class Stages {
  readonly #clock: Clock;
  readonly #log: Log;
  #running: { name: string; stop: Stop }[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `stop` is told how long it may take. */
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

  /** False: it was not over in time. */
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
