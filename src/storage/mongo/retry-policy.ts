/**
 * Retries what a failover interrupted. The driver retries once, and only errors with its label; an election takes seconds. Whatever runs
 * here may run twice; each caller says why that is harmless. [architecture §7; faults: 20-24]
 */
import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { onceAWhile } from '../../kernel/once-a-while.ts';
import { retry } from '../../kernel/retry.ts';
import { Refused, describe, readDuplicateKey, classify } from './errors.ts';

const backOff = { firstMs: 20, maxMs: 400 };

/** A call that MongoDB did not carry out. `why` and `what` are names and codes of the code's and the driver's own: there are few. */
interface Failed {
  event: 'store.unavailable' | 'store.refused';
  what: string;
  why: string;
  applied?: 'no' | 'unknown';
}

export class RetryPolicy {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #budgetMs: number;
  /** An outage fails every call of every request and job: one line a minute says so. [faults: 583] */
  readonly #tell: (key: string, failed: Failed) => void;
  #closed = false;
  #repeated = 0;
  #awaySince: number | null = null;

  constructor({ clock, log, budgetMs }: { clock: Clock; log: Log; budgetMs: number }) {
    this.#clock = clock;
    this.#log = log;
    this.#budgetMs = budgetMs;
    this.#tell = onceAWhile<Failed>(clock, minuteMs, (_key, times, { event, ...failed }) => {
      log.error({ ...failed, times }, event);
      if (event === 'store.unavailable') this.#awaySince ??= clock.monotonic();
    });
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
    const done = await retry({ clock: this.#clock, ...backOff, failed }, (attempt) => {
      if (this.#closed) throw new StoreUnavailable('the store is closed', applied);
      return act(attempt);
    });
    if (this.#awaySince !== null) this.#isBack(this.#awaySince);
    return done;
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
    this.#tell(why, { event: 'store.unavailable', what, why, applied });
    return new StoreUnavailable(`MongoDB did not do ${what}: ${why}`, applied);
  }

  #refused(what: string, error: unknown): Refused {
    const why = describe(error);
    this.#tell(`${what}: ${why}`, { event: 'store.refused', what, why });
    return new Refused(`MongoDB refused ${what}: ${why}`, 'no');
  }

  #isBack(since: number): void {
    this.#awaySince = null;
    this.#log.info({ ms: Math.round(this.#clock.monotonic() - since) }, 'store.back');
  }
}
