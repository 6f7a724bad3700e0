/**
 * Work that the whole cluster does once in an interval. Every node looks when the interval should be over; the first to set
 * `trunkline:turn:<name>` does the turn, and the key lives for one interval by Redis's clock, so that no node's wall clock matters. The
 * node keeps the key alive while it works and sets it anew when the turn ends: the next interval begins then. A node that dies leaves a key
 * that expires; a Redis that comes back empty leaves none: the rhythm is nobody's to lose. [faults: 11, 15, 19]
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
  /** One turn. Never rejects. */
  work(): Promise<unknown>;
}

/** With Redis away nobody waits for a whole long interval. */
const maxBlindMs = 1_000;
/** A turn under way keeps its key at least this long, however short the interval is: a Redis that is slow must not give a second one out. */
const minWorkingMs = 2_000;
/** Longest `stop` waits for the turn under way; another node does the next one. */
const lastTurnMs = 4_000;

export class PeriodicTurns {
  readonly #options: PeriodicTurnsOptions;
  readonly #key: string;
  #cancel: () => void = () => undefined;
  #stopKeeping: () => void = () => undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** Begins to look after one interval. */
  constructor(options: PeriodicTurnsOptions) {
    this.#options = options;
    this.#key = `trunkline:turn:${options.name}`;
    this.#lookIn(options.intervalMs);
  }

  /** No turn begins any more; resolves when the one under way has ended, after 4 s at the latest. */
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

  /** Ms until the next look. */
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

  /** Never rejects: without Redis the key that was set last stands, or none. */
  async #hold(ms: number): Promise<void> {
    const { redis, log, name } = this.#options;
    try {
      await redis.set(this.#key, '1', 'PX', ms);
    } catch (error) {
      log.debug({ job: name, error: asError(error) }, 'turn.end-not-told');
    }
  }
}
