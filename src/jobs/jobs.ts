import { minuteMs } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';

/** Payload of a job: JSON, because the job may run in another process. */
export type JobData = null | boolean | number | string | JobData[] | { [key: string]: JobData };

export type Worker = (data: JobData) => Promise<void>;

/**
 * Work that belongs to no channel: sweeps, mails, template sync, clean-up. A job is a hint and the store is the source of truth: the next
 * sweep finds the work of a job that was lost with a process or with Redis. `test/jobs/conformance.ts` holds both implementations to this
 * interface. [architecture §8]
 */
export interface Jobs {
  /**
   * Runs `work` every `intervalMs`, the first time after one interval. Runs never overlap: the next interval starts when a run ends. A
   * failure is logged, at most once a minute, and does not stop later runs. `stop` aborts the signal: work that may take minutes must end
   * early then. Throws if the name is registered already.
   */
  every(name: string, intervalMs: number, work: (stopping: AbortSignal) => Promise<void>): void;
  /**
   * Hands a copy of `data` to the worker of this name: one job of a name at a time, in order. Jobs wait until the worker is registered. A
   * job that fails is retried after 1, 2, 4 and 8 s, while other jobs go on, and is then logged and dropped. `id` is an idempotency key:
   * while a job of this id waits, runs or has a retry to come, another one is ignored. A lost job frees its id. Throws Fault `overloaded`
   * if 10,000 jobs wait, and after `stop`; Fault `unavailable` if the queue cannot be reached.
   */
  enqueue(name: string, data: JobData, id?: string): Promise<void>;
  /** Registers the worker of this name. Throws if there is one already. */
  handle(name: string, worker: Worker): void;
  /** Starts nothing more; resolves when all running work has ended. */
  stop(): Promise<void>;
}

/** Longest time that `stop` waits in a cluster for a running job or turn; afterwards another node runs it. */
export const stopTimeoutMs = 4_000;

export const jobLimits = { waiting: 10_000, tries: 5, firstRetryMs: 1_000 } as const;

/** Logs that a job failed. */
export type TellFailure = (job: string, error: Error) => void;

export function eachFailure(log: Log): TellFailure {
  return (job, error) => log.warn({ job, error }, 'job.failed');
}

/** Of work that runs again and again, and fails each time while the store is away: one line a minute for each job. [faults: 583] */
export function failuresOfTurns(log: Log, clock: Clock): TellFailure {
  return onceAWhile<Error>(clock, minuteMs, (job, times, error) =>
    log.warn({ job, times, error }, 'job.failed'),
  );
}

/** Runs `work` and returns whether it succeeded. A failure is told and never thrown, so that worker loops go on. [architecture §7] */
export async function attempt(tell: TellFailure, name: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    tell(name, asError(error));
    return false;
  }
}
