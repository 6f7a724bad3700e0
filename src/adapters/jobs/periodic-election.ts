/**
 * Who does the next turn of work that the whole cluster does once. Every node looks when the interval should be over; the first
 * to set `trunkline:turn:<name>` gives the turn out, and the key lives for one interval by Redis's clock, so that no node's wall
 * clock matters. A turn that ends sets the key anew: the next interval begins then. A node that dies leaves a key that
 * expires; a Redis that comes back empty leaves none: the rhythm is nobody's to lose. [faults: 11, 15, 19]
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { cutLife } from './cut-life.ts';

export interface PeriodicElectionOptions {
  name: string;
  intervalMs: number;
  redis: Redis;
  clock: Clock;
  log: Log;
  /** Gives the turn out; one that is still under way counts as given. */
  give(): Promise<void>;
}

/** With Redis away, or when a turn could not be given out, nobody waits for a whole long interval. */
const maxBlindMs = 1_000;

export class PeriodicElection {
  readonly #options: PeriodicElectionOptions;
  readonly #key: string;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  /** Begins to look after one interval. */
  constructor(options: PeriodicElectionOptions) {
    this.#options = options;
    this.#key = `trunkline:turn:${options.name}`;
    this.#lookIn(options.intervalMs);
  }

  /** A turn has ended. Never rejects: without Redis the key of its beginning stands, or none. */
  async ended(): Promise<void> {
    const { redis, intervalMs, log, name } = this.#options;
    try {
      await redis.set(this.#key, '1', 'PX', intervalMs);
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.end-not-told');
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #lookIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(ms, () => {
      void this.#look().then((nextMs) => this.#lookIn(nextMs));
    });
  }

  /** Ms until the next look. */
  async #look(): Promise<number> {
    const { redis, intervalMs, log, name } = this.#options;
    try {
      if ((await redis.set(this.#key, '1', 'PX', intervalMs, 'NX')) === null)
        return (await cutLife(redis, this.#key, intervalMs)) + 1;
      if (!this.#isStopped) await this.#options.give();
      return intervalMs;
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.not-claimed');
      return Math.min(intervalMs, maxBlindMs);
    }
  }
}
