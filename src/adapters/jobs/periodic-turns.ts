/**
 * Work that one node of the cluster does once per interval. When an interval should be over, every node tries to set the key
 * `trunkline:turn:<name>`; the first to set it runs the turn. The key expires after one interval by Redis's clock, so that no node's wall
 * clock matters. The node renews the key while it works and sets it again when the turn ends: the next interval starts then. The key of a
 * dead node expires, and a Redis that comes back empty has no key, so no failure stops the turns. [faults: 11, 15, 19]
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { cutLife } from './cut-life.ts';

interface PeriodicTurnsOptions {
  name: string;
  intervalMs: number;
  redis: Redis;
  clock: Clock;
  log: Log;
  /** Runs one turn. Never rejects. */
  work(): Promise<unknown>;
}

/** While Redis is unreachable, the longest time until the next try, however long the interval is. */
const maxBlindMs = 1_000;
/** Shortest lifetime of the key while a turn runs, however short the interval: a slow renewal must not let a second node start a turn. */
const minWorkingMs = 2_000;
/** Longest time that `stop` waits for the running turn; another node runs the next one. */
const lastTurnMs = 4_000;

export class PeriodicTurns {
  readonly #options: PeriodicTurnsOptions;
  readonly #key: string;
  #cancel: () => void = () => undefined;
  #stopKeeping: () => void = () => undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** The first try comes after one interval. */
  constructor(options: PeriodicTurnsOptions) {
    this.#options = options;
    this.#key = `trunkline:turn:${options.name}`;
    this.#lookIn(options.intervalMs);
  }

  /** Starts no further turn; resolves when the running one has ended, after 4 s at the latest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (cancel = this.#options.clock.after(lastTurnMs, resolve)));
    await Promise.race([this.#underWay, late]);
    cancel();
    this.#stopKeeping();
  }

  #lookIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(ms, () => {
      void this.#look().then((nextMs) => this.#lookIn(nextMs));
    });
  }

  /** Tries to claim and run the turn. Returns the ms until the next try. */
  async #look(): Promise<number> {
    const { redis, intervalMs, log, name } = this.#options;
    const workingMs = Math.max(intervalMs, minWorkingMs);
    try {
      if ((await redis.set(this.#key, '1', 'PX', workingMs, 'NX')) === null)
        return (await cutLife(redis, this.#key, workingMs)) + 1;
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.not-claimed');
      return Math.min(intervalMs, maxBlindMs);
    }
    if (this.#isStopped) return intervalMs;
    this.#underWay = this.#turn(workingMs);
    await this.#underWay;
    return intervalMs;
  }

  async #turn(workingMs: number): Promise<void> {
    this.#keepAlive(workingMs);
    await this.#options.work();
    this.#stopKeeping();
    if (!this.#isStopped) await this.#hold(this.#options.intervalMs);
  }

  #keepAlive(workingMs: number): void {
    this.#stopKeeping = this.#options.clock.after(workingMs / 2, () => {
      void this.#hold(workingMs);
      this.#keepAlive(workingMs);
    });
  }

  /** Sets the key's lifetime. Never rejects: if Redis is unreachable, the key expires as set last. */
  async #hold(ms: number): Promise<void> {
    const { redis, log, name } = this.#options;
    try {
      await redis.set(this.#key, '1', 'PX', ms);
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.end-not-told');
    }
  }
}
