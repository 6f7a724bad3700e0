/**
 * Retries what a failover interrupted. The driver retries once, and only errors with its label; an election takes seconds. Whatever runs
 * here may run twice; each caller says why that is harmless. [architecture §7; faults: 20-24]
 */
import type { Clock } from '../../kernel/clock.ts';
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { retry } from '../../kernel/retry.ts';
import { Refused, describe, readDuplicateKey, classify } from './errors.ts';

const backOff = { firstMs: 20, maxMs: 400 };

export class RetryPolicy {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #budgetMs: number;
  #closed = false;
  #repeated = 0;

  constructor({ clock, log, budgetMs }: { clock: Clock; log: Log; budgetMs: number }) {
    this.#clock = clock;
    this.#log = log;
    this.#budgetMs = budgetMs;
  }

  /** Number of retries. */
  get repeated(): number {
    return this.#repeated;
  }

  close(): void {
    this.#closed = true;
  }

  /** Deadline of a call that starts now, in monotonic ms. */
  deadline(): number {
    return this.#clock.monotonic() + this.#budgetMs;
  }

  /**
   * Returns `act`'s result. `attempt` counts from 0; in later attempts an earlier one may have been applied. Throws DuplicateKey as an
   * answer, and StoreUnavailable if the deadline has passed, the store is closed or the server refuses.
   */
  async run<T>(
    what: string,
    act: (attempt: number) => Promise<T>,
    deadline: number = this.deadline(),
  ): Promise<T> {
    let applied: 'no' | 'unknown' = 'no';
    const failed = (error: unknown): 'again' => {
      applied = this.#judge(what, error, applied);
      if (this.#clock.monotonic() >= deadline) throw this.#unavailable(what, error, applied);
      this.#repeated += 1;
      return 'again';
    };
    return retry({ clock: this.#clock, ...backOff, failed }, (attempt) => {
      if (this.#closed) throw new StoreUnavailable('the store is closed', applied);
      return act(attempt);
    });
  }

  /** Whether any attempt may have been applied so far. Throws if a retry is pointless. */
  #judge(what: string, error: unknown, applied: 'no' | 'unknown'): 'no' | 'unknown' {
    const kind = classify(error);
    switch (kind) {
      case 'unapplied':
        return applied;
      case 'unknown':
        return 'unknown';
      case 'duplicate':
        throw readDuplicateKey(error);
      case 'closed':
        throw new StoreUnavailable('the store is closed', applied);
      case 'refused':
        throw this.#refused(what, error);
      case 'ours':
        throw error;
      default:
        return kind satisfies never;
    }
  }

  #unavailable(what: string, error: unknown, applied: 'no' | 'unknown'): StoreUnavailable {
    const why = describe(error);
    this.#log.error({ what, why, applied }, 'store.unavailable');
    return new StoreUnavailable(`MongoDB did not do ${what}: ${why}`, applied);
  }

  #refused(what: string, error: unknown): Refused {
    const why = describe(error);
    this.#log.error({ what, why }, 'store.refused');
    return new Refused(`MongoDB refused ${what}: ${why}`, 'no');
  }
}
