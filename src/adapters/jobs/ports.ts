/** What a job carries: JSON, because it may cross to another process. */
export type JobData = null | boolean | number | string | JobData[] | { [key: string]: JobData };

export type Worker = (data: JobData) => Promise<void>;

/**
 * Work that belongs to no channel: sweeps, mail, template sync, clean-up. Jobs are hints and the store is the truth: what is
 * lost with a process (or with Redis) is found again by the next sweep. Fulfilled in-process for one node; held to
 * `test/jobs/conformance.ts`. [architecture §8]
 */
export interface Jobs {
  /**
   * Runs `work` each `intervalMs`, the first time after one interval. It never overlaps itself: the next interval begins
   * when it ends. A failure is logged and the next turn comes all the same. A name is given once.
   */
  every(name: string, intervalMs: number, work: () => Promise<void>): void;
  /**
   * Hands a copy of `data` to the worker of this name, one job of a name at a time, in order; kept until the worker is there.
   * A job that fails comes again after 1 s, 2 s, 4 s and 8 s, while others go on, and is then logged and dropped.
   * With an `id`: while one of it waits, runs or is to come again, another does nothing. A job that is lost takes its id with it.
   * Throws Fault `overloaded` when 10,000 wait, and after `stop`; `unavailable` when nobody is there to take it down.
   */
  enqueue(name: string, data: JobData, id?: string): Promise<void>;
  /** The worker of this name; a name is given once. */
  handle(name: string, worker: Worker): void;
  /** Begins nothing more and resolves when what runs has ended. */
  stop(): Promise<void>;
}

export const jobLimits = { waiting: 10_000, tries: 5, firstRetryMs: 1_000 } as const;
