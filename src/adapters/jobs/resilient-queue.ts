/**
 * A bee-queue that outlives Redis. One bee-queue does not: after a restart of Redis its scripts are gone (NOSCRIPT for ever), a
 * failed first check means that its worker never begins, and its pause after a failure doubles without bound. So a queue lives
 * as long as its connections: closed → opening → open → (first error) → closing → opening, until `stop`. A life that ends waits
 * for its running job first, so that one job at a time holds across lives. [architecture §7: worker loops never end]
 *
 * bee-queue believes what stands in Redis. What it can't read would end one life after the other: then all that waits is dropped,
 * which Redis may do at any time. [faults: 122]
 */
import BeeQueue from 'bee-queue';
import type { Clock } from '../../kernel/clock.ts';
import { sleep } from '../../kernel/clock.ts';
import { Fault, asError, fault } from '../../kernel/faults.ts';
import type { Outage } from '../../kernel/outage.ts';
import { openConnections } from './node-redis.ts';
import { jobLimits } from './ports.ts';
import type { JobData } from './ports.ts';
import { Primary } from './primary.ts';
import type { Server } from './primary.ts';

/** As bee-queue keeps it; a bare null or 0 would come back as `{}`. */
interface Payload {
  data: JobData;
}

export type BeeJob = BeeQueue.Job<Payload>;
export type OpenQueue = BeeQueue<Payload>;

interface ResilientQueueOptions {
  name: string;
  redisUrl: string;
  /** A job whose node died is taken up by another within two of these. */
  stallMs?: number;
  clock: Clock;
  outage: Outage;
}

export const queuePrefix = 'trunkline:jobs';
const reopenMs = 500;
/** Longest a caller waits for Redis before the refusal. */
const answerMs = 2_000;
export const defaultStallMs = 5_000;
/** How late a delayed job may be when the word about it got lost. */
const pollMs = 5_000;
/** Longest `stop` waits for the job under way; then another node takes it up as stalled. */
const lastJobMs = 4_000;
const asLongAsItTakesMs = 2 ** 31 - 1;

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

  /** Sets the function that does this node's jobs, one at a time; called once, at any time. A job whose work throws has failed. */
  work(work: (job: BeeJob) => Promise<void>): void {
    this.#work = work;
    if (this.#open !== null) this.#begin(this.#open, work);
  }

  /**
   * Throws what `use` throws if that is a Fault, and else Fault `unavailable`: Redis refused, or did not answer within 2 s, when
   * `use` may have been done all the same.
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

  /** Another server may be the primary now: what is open may hang on the one that was, which need not say so. */
  renew(): void {
    if (this.#open !== null) this.#endLife();
  }

  /** Takes nothing more; resolves when the running job has ended, after 4 s at the latest. Redis need not be there. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endLife();
    await this.#lives;
  }

  /** A queue that failed is not used again: after `SCRIPT FLUSH`, say, it would fail for ever. */
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

  /** From connecting to the first error or `stop`. Never rejects. */
  async #life(server: Server): Promise<void> {
    const connections = openConnections(server);
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
    const isReady = await Promise.race([ended.then(() => false), queue.ready().then(yes, no)]);
    if (isReady && !this.#isStopped) this.#welcome(queue);
    const error = isReady ? await ended : null;
    this.#open = null;
    if (error !== null && isUnreadable(error)) await queue.destroy().catch(nothing);
    const isRenewed = isReady && error === null && !this.#isStopped;
    if (isRenewed) connections.end();
    else if (!this.#isStopped) this.#options.outage.away(this.#options.name, error ?? undefined);
    if (isReady) await this.#close(queue);
    connections.end();
  }

  #welcome(queue: OpenQueue): void {
    this.#options.outage.back(this.#options.name);
    this.#open = queue;
    if (this.#work !== null) this.#begin(queue, this.#work);
    this.#answerWaiting(queue);
  }

  #begin(queue: OpenQueue, work: (job: BeeJob) => Promise<void>): void {
    queue.process(1, (job) => work(tamed(job)));
    const failed = (error: unknown): void => void queue.emit('error', asError(error));
    queue.checkStalledJobs(this.#stallMs).catch(failed);
  }

  /** Waits for the running job: in `stop` within its bound, else as long as it takes. */
  async #close(queue: OpenQueue): Promise<void> {
    const closed = queue.close(this.#isStopped ? lastJobMs : asLongAsItTakesMs).catch(() => undefined);
    const stopped = new Promise<void>((resolve) => {
      this.#endLife = resolve;
      if (this.#isStopped) resolve();
    });
    await Promise.race([closed, stopped.then(() => sleep(this.#options.clock, lastJobMs))]);
  }

  #answerWaiting(queue: OpenQueue | null): void {
    for (const answer of this.#waiting.splice(0)) answer(queue);
  }

  /** Until `stop` at the longest. */
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
  delayedDebounce: 1, // else a retry may come a second late
} as const;

const nothing = (): void => undefined;
const yes = (): boolean => true;
const no = (): boolean => false;

const unreadable = new Set(['SyntaxError', 'TypeError']);

/** No queue of ours holds it: the JSON of no job, or a key of another type. */
function isUnreadable({ name, message }: Error): boolean {
  return unreadable.has(name) || message.includes('WRONGTYPE');
}

/** Redis says how often a job comes again, and how soon: no oftener than a job of ours. */
function tamed(job: BeeJob): BeeJob {
  const options: Record<string, unknown> = job.options;
  const { retries, backoff } = job.options;
  const isOurs = backoff?.strategy === 'exponential' && backoff.delay >= 1 && retries <= jobLimits.tries;
  Object.assign(options, { retries: isOurs ? retries : 0, stacktraces: [], timeout: 0 });
  return job;
}
