import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';

/** Start order as it happened; stop is its exact reverse. One part that fails to stop does not keep the others up. */
export class Stages {
  readonly #log: Log;
  #running: { name: string; stop: () => Promise<void> | void }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  started(name: string, stop: () => Promise<void> | void): void {
    this.#running.push({ name, stop });
  }

  async stop(): Promise<void> {
    const running = this.#running.toReversed();
    this.#running = [];
    for (const { name, stop } of running) {
      try {
        await stop();
      } catch (error) {
        this.#log.error({ stage: name, error: asError(error) }, 'stage.stop-failed');
      }
    }
  }
}
