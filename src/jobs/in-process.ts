import { fault } from '../kernel/faults.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { backOffMs } from '../kernel/retry.ts';
import { jobLimits, attempt, eachFailure, failuresOfTurns } from './jobs.ts';
import type { JobData, Jobs, TellFailure, Worker } from './jobs.ts';

const backOff = { firstMs: jobLimits.firstRetryMs, maxMs: Infinity };

interface Job {
  /** The payload as JSON text, so that the worker gets its own copy, as from another process. */
  data: string;
  id: string | null;
  tries: number;
}

interface Queue {
  worker: Worker | null;
  waiting: Job[];
  /** Ids of the jobs in this queue that have one. */
  ids: Set<string>;
  /** Number of jobs that wait, run or have a retry to come. */
  size: number;
  isRunning: boolean;
}

/** Jobs of one node, in memory: none outlives the process. `Jobs` describes each call. */
export function makeInProcessJobs({ clock, log }: { clock: Clock; log: Log }): Jobs {
  return new InProcessJobs(clock, log);
}

class InProcessJobs implements Jobs {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #turns = new Set<string>();
  readonly #queues = new Map<string, Queue>();
  readonly #timers = new Set<() => void>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #turnFailed: TellFailure;
  readonly #jobFailed: TellFailure;
  #isStopped = false;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#turnFailed = failuresOfTurns(log, clock);
    this.#jobFailed = eachFailure(log);
  }

  every(name: string, intervalMs: number, work: (stopping: AbortSignal) => Promise<void>): void {
    if (this.#turns.has(name)) throw new Error(`job ${name} has its turns already`);
    this.#turns.add(name);
    const turn = async () => {
      await attempt(this.#turnFailed, name, () => work(this.#stopping.signal));
      this.#after(intervalMs, () => this.#track(turn()));
    };
    this.#after(intervalMs, () => this.#track(turn()));
  }

  async enqueue(name: string, data: JobData, id: string | null = null): Promise<void> {
    const queue = this.#queue(name);
    if (this.#isStopped || queue.size >= jobLimits.waiting) throw fault('overloaded');
    if (id !== null && queue.ids.has(id)) return;
    if (id !== null) queue.ids.add(id);
    queue.size += 1;
    queue.waiting.push({ data: JSON.stringify(data), id, tries: 0 });
    this.#run(name, queue);
  }

  handle(name: string, worker: Worker): void {
    const queue = this.#queue(name);
    if (queue.worker !== null) throw new Error(`job ${name} has a worker already`);
    queue.worker = worker;
    this.#run(name, queue);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    await Promise.all(this.#running);
  }

  #queue(name: string): Queue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue: Queue = { worker: null, waiting: [], ids: new Set(), size: 0, isRunning: false };
    this.#queues.set(name, queue);
    return queue;
  }

  /** Starts the queue's loop unless it is running. */
  #run(name: string, queue: Queue): void {
    const { worker } = queue;
    if (worker === null || queue.isRunning) return;
    queue.isRunning = true;
    this.#track(this.#drain(name, queue, worker));
  }

  async #drain(name: string, queue: Queue, worker: Worker): Promise<void> {
    for (let job = queue.waiting.shift(); job !== undefined; job = queue.waiting.shift()) {
      // Yields first, so that `enqueue` returns before the worker starts.
      await Promise.resolve();
      if (this.#isStopped) break;
      const { data } = job;
      const isDone = await attempt(this.#jobFailed, name, () => worker(JSON.parse(data)));
      if (isDone) forget(queue, job);
      else this.#again(name, queue, job);
    }
    queue.isRunning = false;
  }

  #again(name: string, queue: Queue, job: Job): void {
    job.tries += 1;
    if (job.tries >= jobLimits.tries) {
      forget(queue, job);
      this.#log.error({ job: name, tries: job.tries }, 'job.given-up');
      return;
    }
    this.#after(backOffMs(backOff, job.tries - 1), () => {
      queue.waiting.push(job);
      this.#run(name, queue);
    });
  }

  #after(delayMs: number, fire: () => void): void {
    if (this.#isStopped) return;
    const cancel = this.#clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      fire();
    });
    this.#timers.add(cancel);
  }

  #track(running: Promise<void>): void {
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }
}

function forget(queue: Queue, { id }: Job): void {
  queue.size -= 1;
  if (id !== null) queue.ids.delete(id);
}
