/** Jobs of a cluster, over Redis: each goes to one node. Three connections per queued name; names are few and fixed. */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { Outage } from '../../kernel/outage.ts';
import { attempt } from './attempt.ts';
import { cutLife } from './cut-life.ts';
import { ResilientQueue, defaultStallMs, queuePrefix } from './resilient-queue.ts';
import type { BeeJob, OpenQueue } from './resilient-queue.ts';
import { jobLimits } from './ports.ts';
import type { JobData, Jobs, Worker } from './ports.ts';
import { PeriodicTurns } from './periodic-turns.ts';

export interface BeeQueueJobsOptions {
  redisUrl: string;
  /** Claims the turns; refuses at once when Redis is away. */
  redis: Redis;
  clock: Clock;
  log: Log;
  outage: Outage;
  /** Other than the promised ones only where a test would wait for them. */
  limits?: { waiting?: number; firstRetryMs?: number; stallMs?: number };
}

/**
 * See `Jobs` for what each call promises; over several nodes it reads:
 * - `every`: of all nodes that say this name one does each turn (`periodic-turns.ts`). With Redis away no turn begins; the rhythm is back
 *   within an interval of Redis being back.
 * - `handle`: one job of a name at a time on each node, and a job whose node dies is done again by another within 10 s: at
 *   least once. Data stands in Redis unsealed: ids, never content.
 * - `enqueue` throws Fault `unavailable` when Redis does not answer within 2 s.
 * - `stop` waits 4 s at most for what runs; what still runs then is done again elsewhere.
 * Redis may be away for any time and come back empty: jobs that waited there are lost, as `Jobs` allows. [faults: 11-15]
 */
export function makeBeeQueueJobs(options: BeeQueueJobsOptions): Jobs {
  return new BeeQueueJobs(options);
}

class BeeQueueJobs implements Jobs {
  readonly #options: BeeQueueJobsOptions;
  readonly #queues = new Map<string, ResilientQueue>();
  readonly #turns = new Map<string, PeriodicTurns>();
  readonly #handled = new Set<string>();
  #saving = 0;
  #isStopped = false;

  constructor(options: BeeQueueJobsOptions) {
    this.#options = options;
    options.redis.on('ready', () => this.#queues.forEach((queue) => queue.renew()));
  }

  every(name: string, intervalMs: number, work: () => Promise<void>): void {
    if (this.#turns.has(name)) throw new Error(`job ${name} has its turns already`);
    const { redis, clock, log } = this.#options;
    const turn = (): Promise<unknown> => attempt(log, name, work);
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
    const queue = new ResilientQueue({ name, redisUrl, stallMs: limits?.stallMs, clock, outage });
    this.#queues.set(name, queue);
    return queue;
  }

  async #try(name: string, worker: Worker, job: BeeJob): Promise<void> {
    if (await attempt(this.#options.log, name, () => worker(job.data.data))) return;
    if (job.options.retries === 0) {
      this.#options.log.error({ job: name, tries: jobLimits.tries }, 'job.given-up');
    }
    // What bee-queue keeps of an error stands in Redis: nothing of the worker's may. [faults: I10]
    throw new Error('failed');
  }

  /** [faults: I11] Exact for one caller after the other; callers at the same moment may pass the limit together. */
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
   * A Redis that evicts may lose the line and keep the jobs: an id that is taken without a line would be taken
   * for ever; so would that of a dead node's job, if nobody were to look for such jobs again.
   */
  async #saveOnce(queue: OpenQueue, job: BeeJob): Promise<void> {
    const { redis, limits } = this.#options;
    const { id } = job;
    const saved = await job.save();
    if (saved.id !== null) return;
    if ((await countJobs(queue)) === 0) await queue.removeJob(id);
    await cutLife(redis, `${queuePrefix}:${queue.name}:stallBlock`, limits?.stallMs ?? defaultStallMs);
  }
}

async function countJobs(queue: OpenQueue): Promise<number> {
  const { waiting, active, delayed } = await queue.checkHealth();
  return waiting + active + delayed;
}
