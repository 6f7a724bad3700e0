/** Jobs of a cluster over Redis; each job goes to one node. Every queue takes three connections; queue names are few and fixed. */
import type { Redis } from 'ioredis';
import { hourMs } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import { fault } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import type { Outage } from '../kernel/outage.ts';
import { jobLimits, attempt, eachFailure, failuresOfTurns } from './jobs.ts';
import type { JobData, Jobs, TellFailure, Worker } from './jobs.ts';
import { PeriodicTurns, limitLifetime } from './periodic-turns.ts';
import { ResilientQueue, defaultStallMs, queuePrefix } from './resilient-queue.ts';
import type { BeeJob, OpenQueue } from './resilient-queue.ts';

export interface BeeQueueJobsOptions {
  redisUrl: string;
  /** Holds the keys of periodic turns; must reject commands at once while Redis is unreachable. */
  redis: Redis;
  clock: Clock;
  log: Log;
  outage: Outage;
  /** Override the limits that `Jobs` promises; for tests that would otherwise wait too long. */
  limits?: { waiting?: number; firstRetryMs?: number; stallMs?: number };
}

/**
 * `Jobs` describes each call. Over several nodes:
 * - `every`: one of the nodes that registered the name runs each turn (`periodic-turns.ts`). While Redis is unreachable no turn starts;
 *   turns resume within an interval after it is back.
 * - `handle`: each node runs one job of a name at a time. If a node dies, another node runs its job again within 10 s: at least once. Job
 *   data is not sealed in Redis: it holds ids, never content.
 * - `enqueue` throws Fault `unavailable` if Redis does not answer within 2 s.
 * - `stop` waits at most 4 s for running jobs; other nodes run again those that are still running then.
 * Redis may be unreachable for any time and come back empty: jobs that waited there are lost, as `Jobs` allows. [faults: 11-15]
 */
export function makeBeeQueueJobs(options: BeeQueueJobsOptions): Jobs {
  return new BeeQueueJobs(options);
}

class BeeQueueJobs implements Jobs {
  readonly #options: BeeQueueJobsOptions;
  readonly #queues = new Map<string, ResilientQueue>();
  readonly #turns = new Map<string, PeriodicTurns>();
  readonly #handled = new Set<string>();
  readonly #warned: (message: string) => void;
  readonly #turnFailed: TellFailure;
  readonly #jobFailed: TellFailure;
  #saving = 0;
  #isStopped = false;

  constructor(options: BeeQueueJobsOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#turnFailed = failuresOfTurns(log, clock);
    this.#jobFailed = eachFailure(log);
    // Each connection of each queue warns alike.
    this.#warned = onceAWhile(clock, hourMs, (why) => log.warn({ why }, 'redis.warned'));
    options.redis.on('ready', () => this.#queues.forEach((queue) => queue.renew()));
  }

  every(name: string, intervalMs: number, work: (stopping: AbortSignal) => Promise<void>): void {
    if (this.#turns.has(name)) throw new Error(`job ${name} has its turns already`);
    const { redis, clock, log } = this.#options;
    const turn = (stopping: AbortSignal): Promise<unknown> =>
      attempt(this.#turnFailed, name, () => work(stopping));
    this.#turns.set(name, new PeriodicTurns({ name, intervalMs, redis, clock, log, work: turn }));
  }

  async enqueue(name: string, data: JobData, id?: string): Promise<void> {
    const limits = { ...jobLimits, ...this.#options.limits };
    if (this.#isStopped || this.#saving >= limits.waiting) throw fault('overloaded');
    this.#saving += 1;
    try {
      await this.#queue(`job:${name}`).use((queue) => this.#save(queue, data, id, limits));
    } finally {
      this.#saving -= 1;
    }
  }

  handle(name: string, worker: Worker): void {
    if (this.#handled.has(name)) throw new Error(`job ${name} has a worker already`);
    this.#handled.add(name);
    this.#queue(`job:${name}`).work((job) => this.#try(name, worker, job));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = [...this.#turns.values(), ...this.#queues.values()];
    await Promise.all(running.map((each) => each.stop()));
  }

  #queue(name: string): ResilientQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { redisUrl, clock, outage, limits } = this.#options;
    const warned = this.#warned;
    const queue = new ResilientQueue({ name, redisUrl, stallMs: limits?.stallMs, clock, outage, warned });
    this.#queues.set(name, queue);
    return queue;
  }

  async #try(name: string, worker: Worker, job: BeeJob): Promise<void> {
    if (await attempt(this.#jobFailed, name, () => worker(job.data.data))) return;
    if (job.options.retries === 0) {
      this.#options.log.error({ job: name, tries: jobLimits.tries }, 'job.given-up');
    }
    // bee-queue stores the error in Redis, so it must contain nothing of the worker's. [faults: I10]
    throw new Error('failed');
  }

  /** [faults: I11] The limit is exact for sequential calls; concurrent calls may exceed it together. */
  async #save(
    queue: OpenQueue,
    data: JobData,
    id: string | undefined,
    { waiting, tries, firstRetryMs }: { waiting: number; tries: number; firstRetryMs: number },
  ): Promise<void> {
    if ((await countJobs(queue)) >= waiting) throw fault('overloaded');
    const job = queue
      .createJob({ data })
      .retries(tries - 1)
      .backoff('exponential', firstRetryMs);
    if (id !== undefined) job.setId(id);
    await this.#saveOnce(queue, job);
  }

  /**
   * Saves the job; an id that is taken means that it is queued already. A Redis that evicts keys may lose the queue's lists and keep its
   * job hash: such an id would stay taken for ever, so it is removed. A `stallBlock` key without an expiry would stop the search for jobs
   * of dead nodes, so its lifetime is cut.
   */
  async #saveOnce(queue: OpenQueue, job: BeeJob): Promise<void> {
    const { redis, limits } = this.#options;
    const { id } = job;
    const saved = await job.save();
    if (saved.id !== null) return;
    if ((await countJobs(queue)) === 0) await queue.removeJob(id);
    await limitLifetime(redis, `${queuePrefix}:${queue.name}:stallBlock`, limits?.stallMs ?? defaultStallMs);
  }
}

async function countJobs(queue: OpenQueue): Promise<number> {
  const { waiting, active, delayed } = await queue.checkHealth();
  return waiting + active + delayed;
}
