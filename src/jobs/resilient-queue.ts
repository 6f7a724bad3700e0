/**
 * A bee-queue that survives outages of Redis. A plain one does not: after a restart of Redis its scripts are missing (NOSCRIPT for ever),
 * its worker never starts if the first check fails, and its pause after a failure doubles without bound. So a queue lives as long as its
 * connections: closed → opening → open → (first error) → closing → opening, until `stop`. Before a new life the old one's running job is
 * awaited, so that jobs run one at a time across lives. [architecture §7: worker loops never end]
 *
 * bee-queue trusts the contents of Redis. Contents that it cannot read would end one life after the other: then all waiting jobs are
 * dropped, which Redis may do at any time. [faults: 122]
 */
import BeeQueue from 'bee-queue';
import type { Clock } from '../kernel/clock.ts';
import { sleep } from '../kernel/clock.ts';
import { Fault, asError, fault } from '../kernel/faults.ts';
import type { Outage } from '../kernel/outage.ts';
import { openConnections } from './node-redis.ts';
import { jobLimits, stopTimeoutMs } from './jobs.ts';
import type { JobData } from './jobs.ts';
import { Primary } from './primary.ts';
import type { Server } from './primary.ts';

/** The payload in bee-queue. Wrapped, because bee-queue returns a bare null or 0 as `{}`. */
interface Payload {
  data: JobData;
}

export type BeeJob = BeeQueue.Job<Payload>;
export type OpenQueue = BeeQueue<Payload>;

interface ResilientQueueOptions {
  name: string;
  redisUrl: string;
  /** Another node takes up the job of a dead node within twice this time. */
  stallMs?: number;
  clock: Clock;
  outage: Outage;
  /** A warning of the Redis client. */
  warned: (message: string) => void;
}

export const queuePrefix = 'trunkline:jobs';
const reopenMs = 500;
/** Longest time that a caller of `use` waits for Redis. */
const answerMs = 2_000;
export const defaultStallMs = 5_000;
/** How late a delayed job may start when the notification about it was lost. */
const pollMs = 5_000;
const noLimitMs = 2 ** 31 - 1;

export class ResilientQueue {
  readonly #options: ResilientQueueOptions;
  readonly #stallMs: number;
  readonly #primary: Primary;
  #work: ((job: BeeJob) => Promise<void>) | null = null;
  #open: OpenQueue | null = null;
  #waiting: ((queue: OpenQueue | null) => void)[] = [];
  #isStopped = false;
  #endLife: () => void = nothing;
  readonly #lives: Promise<void>;

  constructor(options: ResilientQueueOptions) {
    this.#options = options;
    this.#stallMs = options.stallMs ?? defaultStallMs;
    this.#primary = new Primary(options.redisUrl);
    this.#lives = this.#live();
  }

  /** Sets the function that runs this node's jobs, one at a time. Called once, at any time. A job whose `work` throws has failed. */
  work(work: (job: BeeJob) => Promise<void>): void {
    this.#work = work;
    if (this.#open !== null) this.#begin(this.#open, work);
  }

  /**
   * Throws what `use` throws if that is a Fault, otherwise Fault `unavailable`: Redis refused, or did not answer within 2 s. In the latter
   * case `use` may have taken effect.
   */
  async use<T>(use: (queue: OpenQueue) => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    let cancel: () => void = nothing;
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(answerMs, () => reject(fault('unavailable')));
    });
    try {
      return await Promise.race([late, this.#opened().then((queue) => this.#using(queue, use))]);
    } finally {
      cancel();
    }
  }

  /** Reopens the queue: after a failover its connections may still point at the old primary, which need not close them. */
  renew(): void {
    if (this.#open !== null) this.#endLife();
  }

  /** Takes no further job; resolves when the running one has ended, after 4 s at the latest. Works without Redis. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endLife();
    await this.#lives;
  }

  /** A bee-queue that failed is replaced: after `SCRIPT FLUSH`, for example, it would fail for ever. */
  async #using<T>(queue: OpenQueue, use: (queue: OpenQueue) => Promise<T>): Promise<T> {
    try {
      return await use(queue);
    } catch (error) {
      if (error instanceof Fault) throw error;
      queue.emit('error', asError(error));
      throw fault('unavailable');
    }
  }

  #opened(): Promise<OpenQueue> {
    if (this.#open !== null) return Promise.resolve(this.#open);
    return new Promise((resolve, reject) => {
      this.#waiting.push((queue) => (queue === null ? reject(fault('unavailable')) : resolve(queue)));
    });
  }

  async #live(): Promise<void> {
    while (!this.#isStopped) {
      await this.#primary.find().then(
        (server) => (this.#isStopped ? undefined : this.#life(server)),
        (error: unknown) => this.#options.outage.away(this.#options.name, error),
      );
      if (!this.#isStopped) await this.#pause(reopenMs);
    }
    this.#answerWaiting(null);
  }

  /** One life: from connecting to the first error or `stop`. Never rejects. */
  async #life(server: Server): Promise<void> {
    const connections = openConnections(server, this.#options.warned);
    const queue = new BeeQueue<Payload>(this.#options.name, {
      ...settings,
      stallInterval: this.#stallMs,
      activateDelayedJobs: true,
      redis: connections.first,
    });
    const ended = new Promise<Error | null>((resolve) => {
      this.#endLife = () => resolve(null);
      queue.on('error', resolve);
      void connections.lost.then(resolve);
    });
    // Redis says here what it refuses to its user: a channel, a script, the database.
    const unready = await Promise.race([ended.then(unreadyBy), queue.ready().then(nothing, unreadyBy)]);
    const isReady = unready === undefined;
    if (isReady && !this.#isStopped) this.#onReady(queue);
    const error = isReady ? await ended : unready.error;
    this.#open = null;
    if (isReady && error !== null && isUnreadable(error)) await queue.destroy().catch(nothing);
    const isRenewed = isReady && error === null && !this.#isStopped;
    if (isRenewed) connections.end();
    else if (!this.#isStopped) this.#options.outage.away(this.#options.name, error ?? undefined);
    if (isReady) await this.#close(queue);
    connections.end();
  }

  #onReady(queue: OpenQueue): void {
    this.#options.outage.back(this.#options.name);
    this.#open = queue;
    if (this.#work !== null) this.#begin(queue, this.#work);
    this.#answerWaiting(queue);
  }

  #begin(queue: OpenQueue, work: (job: BeeJob) => Promise<void>): void {
    queue.process(1, (job) => work(withOwnLimits(job)));
    const failed = (error: unknown): void => void queue.emit('error', asError(error));
    queue.checkStalledJobs(this.#stallMs).catch(failed);
  }

  /** Waits for the running job: at most 4 s once `stop` was called, otherwise until it ends. */
  async #close(queue: OpenQueue): Promise<void> {
    const closed = queue.close(this.#isStopped ? stopTimeoutMs : noLimitMs).catch(() => undefined);
    const stopped = new Promise<void>((resolve) => {
      this.#endLife = resolve;
      if (this.#isStopped) resolve();
    });
    await Promise.race([closed, stopped.then(() => sleep(this.#options.clock, stopTimeoutMs))]);
  }

  #answerWaiting(queue: OpenQueue | null): void {
    for (const answer of this.#waiting.splice(0)) answer(queue);
  }

  /** `stop` ends the pause early. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#endLife = () => {
        cancel();
        resolve();
      };
    });
  }
}

const settings = {
  prefix: queuePrefix,
  getEvents: false,
  sendEvents: false,
  storeJobs: false,
  removeOnSuccess: true,
  removeOnFailure: true,
  nearTermWindow: pollMs,
  delayedDebounce: 1, // otherwise a retry may come a second late
} as const;

const nothing = (): void => undefined;
const unreadyBy = (error: unknown): { error: Error | null } => ({
  error: error === null ? null : asError(error),
});

const unreadable = new Set(['SyntaxError', 'TypeError']);

/** Whether the error shows contents that this service never wrote: JSON that is no job, or a key of another type. */
function isUnreadable({ name, message }: Error): boolean {
  return unreadable.has(name) || message.includes('WRONGTYPE');
}

/** Redis is not trusted: retries and back-off that this service never writes are replaced by no retries at all. */
function withOwnLimits(job: BeeJob): BeeJob {
  const options: Record<string, unknown> = job.options;
  const { retries, backoff } = job.options;
  const isOurs = backoff?.strategy === 'exponential' && backoff.delay >= 1 && retries <= jobLimits.tries;
  Object.assign(options, { retries: isOurs ? retries : 0, stacktraces: [], timeout: 0 });
  return job;
}
