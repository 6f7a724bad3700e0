/**
 * Work that one node of the cluster does once per interval. When an interval should be over, every node tries to set the key
 * `trunkline:turn:<name>`; the first to set it runs the turn. The key expires after one interval by Redis's clock, so that no node's wall
 * clock matters. The node renews the key while it works and sets it again when the turn ends: the next interval starts then. The key of a
 * dead node expires, and a Redis that comes back empty has no key, so no failure stops the turns. [faults: 11, 15, 19]
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { stopTimeoutMs } from './jobs.ts';

interface PeriodicTurnsOptions {
  name: string;
  intervalMs: number;
  redis: Redis;
  clock: Clock;
  log: Log;
  /** Runs one turn. Never rejects. `stop` aborts the signal. */
  work(stopping: AbortSignal): Promise<unknown>;
}

/** While Redis is unreachable, the longest time until the next try, however long the interval is. */
const maxRetryMs = 1_000;
/** Shortest lifetime of the key while a turn runs, however short the interval: a slow renewal must not let a second node start a turn. */
const minKeyMs = 2_000;

export class PeriodicTurns {
  readonly #options: PeriodicTurnsOptions;
  readonly #key: string;
  #cancel: () => void = () => undefined;
  #stopKeeping: () => void = () => undefined;
  #underWay: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #isStopped = false;

  /** The first try comes after one interval. */
  constructor(options: PeriodicTurnsOptions) {
    this.#options = options;
    this.#key = `trunkline:turn:${options.name}`;
    this.#tryIn(options.intervalMs);
  }

  /** Starts no further turn; resolves when the running one has ended, after 4 s at the latest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    this.#cancel();
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (cancel = this.#options.clock.after(stopTimeoutMs, resolve)));
    await Promise.race([this.#underWay, late]);
    cancel();
    this.#stopKeeping();
  }

  #tryIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(ms, () => {
      void this.#tryTurn().then((nextMs) => this.#tryIn(nextMs));
    });
  }

  /** Tries to claim and run the turn. Returns the ms until the next try. */
  async #tryTurn(): Promise<number> {
    const { redis, intervalMs, log, name } = this.#options;
    const keyMs = Math.max(intervalMs, minKeyMs);
    try {
      if ((await redis.set(this.#key, '1', 'PX', keyMs, 'NX')) === null)
        return (await limitLifetime(redis, this.#key, keyMs)) + 1;
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.not-claimed');
      return Math.min(intervalMs, maxRetryMs);
    }
    if (this.#isStopped) return intervalMs;
    this.#underWay = this.#turn(keyMs);
    await this.#underWay;
    return intervalMs;
  }

  async #turn(keyMs: number): Promise<void> {
    this.#keepAlive(keyMs);
    await this.#options.work(this.#stopping.signal);
    this.#stopKeeping();
    if (!this.#isStopped) await this.#setKey(this.#options.intervalMs);
  }

  #keepAlive(keyMs: number): void {
    this.#stopKeeping = this.#options.clock.after(keyMs / 2, () => {
      void this.#setKey(keyMs);
      this.#keepAlive(keyMs);
    });
  }

  /** Sets the key's lifetime. Never rejects: if Redis is unreachable, the key expires as set last. */
  async #setKey(ms: number): Promise<void> {
    const { redis, log, name } = this.#options;
    try {
      await redis.set(this.#key, '1', 'PX', ms);
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.end-not-told');
    }
  }
}

/**
 * Limits a key's remaining lifetime to `maxMs` and returns it in ms; 0 if the key is gone. A key without an expiry, or with a far one,
 * would otherwise block for ever whoever waits for it to expire.
 */
export async function limitLifetime(redis: Redis, key: string, maxMs: number): Promise<number> {
  const leftMs = await redis.pttl(key);
  if (leftMs === noSuchKey) return 0;
  if (leftMs >= 0 && leftMs <= maxMs) return leftMs;
  await redis.pexpire(key, maxMs);
  return maxMs;
}

const noSuchKey = -2;
