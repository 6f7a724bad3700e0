/**
 * This node's lease: one redlock lock per node incarnation, never one per channel. Every claim of a channel is valid only while
 * it lives. The only file that knows redlock: `lock`, `extend` and `unlock` with redlock's own scripts.
 *
 *   none ── taken ──▶ held ── renewed every quarter of its life ──▶ held
 *    ▲                 │  ▲                                            │
 *    │                 │  └── Redis answers: renewed, or taken anew ◀──┴── no answer: unsure, for any time
 *    └─────────────────┴── refused (the key is gone or another's), or the timers of this node stood still: lost, a new term begins
 *
 * Rules it keeps: renewed on a connection of its own, so that a busy command queue cannot starve it; what is sure ends before the lease
 * does, by the monotonic clock, which runs on through a SIGSTOP; an answer that did not come is "unknown": it renews nothing and loses
 * nothing. An unsure owner goes on, and the store is asked after each claim. A key that is gone after an outage says nothing of who has
 * what: it is taken anew, and the claims are looked at one by one (`confirmations.ts`). A lost lease is taken again by itself.
 *
 * Ours, because redlock 4.2 does not carry so far:
 * - validity: `acquire` judges it by the wall clock and does not look again before it returns. An extend is told that no expiry comes;
 * - retries: `retryCount` per call is ignored, and a retry would not know the margin. There are none; turns of ours are the retry;
 * - a failed extend unlocks, which would give our own lease away over one slow answer. So the instance that holds has an unlock
 *   script that does nothing, and `stop` unlocks by another instance;
 * - an unanswered lock leaves a key that refuses the next one. The key carries this run's random incarnation, so what stands
 *   there is our own: it is deleted on the way to every lock but the first. [architecture §4]
 */
import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import type { Lock } from 'redlock';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { keys } from './keys.ts';

/** Renewals per lease life, the share of it this node trusts, and how much sooner it tries again after no answer. */
const renewalsPerLife = 4;
const trustedShare = 0.75;
const retriesPerLife = 16;
/** Looks of the node at its own timers, and the share of a life that they may stand still unless Redis has answered meanwhile. */
const ticksPerLife = 8;
const standstillShare = 0.5;

interface LeaseOptions {
  redis: Redis;
  incarnation: string;
  ttlMs: number;
  clock: Clock;
  log: Log;
  /** It is another's, or was: everything held under the lease must stop. Called once per loss. */
  onLost: () => void;
  /** Held, for the first time or again after a loss. */
  onTaken: () => void;
  /** Redis answers again; what was held all the time is held. */
  onAnswered: () => void;
  /** Often in a life, while it is held. */
  onTick: () => void;
}

export class NodeLease {
  readonly #options: LeaseOptions;
  readonly #holder: Redlock;
  readonly #releaser: Redlock;
  #isFirstTake = true;
  #isTroubled = false;
  #lock: Lock | null = null;
  /** An answer of Redis was missing or an error: what happened is unknown. */
  #trouble: Error | null = null;
  #sureUntil = 0;
  /** When the timers of this node last ran. */
  #tickedAt = 0;
  #isAway = false;
  #term = Symbol('term');
  #held = false;
  #stopped = false;
  #turn: Promise<void> = Promise.resolve();
  #cancelRenewal: () => void = () => undefined;
  #cancelTick: () => void = () => undefined;
  renewals = 0;
  losses = 0;
  /** Times that Redis did not answer. */
  outages = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#holder = new Redlock([options.redis], { retryCount: 0, unlockScript: () => 'return #KEYS' });
    this.#holder.on('clientError', (error) => {
      this.#trouble = error;
    });
    this.#releaser = new Redlock([options.redis]);
  }

  /** Whether claims and upstream calls may still be made: nobody has said that it is over. */
  isValid(): boolean {
    const now = this.#options.clock.monotonic();
    return this.#held && (now < this.#sureUntil || !this.#standsStill(now));
  }

  /** Whether Redis has said so a moment ago: while it has not, another may own what this node owned. */
  isSure(): boolean {
    return this.#held && !this.#isAway && this.#options.clock.monotonic() < this.#sureUntil;
  }

  /** Whether the timers of this node stood still for longer than anybody waits for a node. */
  #standsStill(now: number): boolean {
    return now - this.#tickedAt >= this.#options.ttlMs * standstillShare;
  }

  /** A right under the present term: invalid from the first loss on, also when the lease is held again. */
  grant(): () => boolean {
    const term = this.#term;
    return () => term === this.#term && this.isValid();
  }

  /** Tries once and goes on trying: a Redis that is away at the start is no reason not to start. Never rejects. */
  async start(): Promise<void> {
    this.#options.redis.on('close', this.#noteAway);
    this.#tick();
    await this.#takeTurn();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRenewal();
    this.#cancelTick();
    this.#options.redis.off('close', this.#noteAway);
    this.#held = false;
    await this.#turn;
    if (this.#lock === null) return;
    try {
      await this.#releaser.unlock(this.#lock);
    } catch (error) {
      this.#options.log.warn({ error: asError(error) }, 'lease.not-let-go');
    }
  }

  #takeTurn(): Promise<void> {
    const { ttlMs } = this.#options;
    this.#turn = this.#renew()
      .then(() => ttlMs / renewalsPerLife)
      .catch((error: unknown) => {
        this.#noteAway();
        this.#tellTrouble(this.#trouble ?? asError(error));
        return ttlMs / retriesPerLife;
      })
      .then((pauseMs) => this.#schedule(pauseMs));
    return this.#turn;
  }

  /** Once until a renewal succeeds; of a Redis that is away its connection says so. */
  #tellTrouble(error: Error): void {
    const { redis, log } = this.#options;
    if (!this.#isTroubled && redis.status === 'ready') log.warn({ error }, 'lease.renewal-failed');
    else log.debug({ error }, 'lease.renewal-failed');
    this.#isTroubled ||= redis.status === 'ready';
  }

  #schedule(pauseMs: number): void {
    if (!this.#stopped) this.#cancelRenewal = this.#options.clock.after(pauseMs, () => void this.#takeTurn());
  }

  async #renew(): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    this.#loseIfStoodStill(); // the loss comes before the next term
    if (this.#lock !== null) {
      const extended = await this.#extend(this.#lock);
      if (extended) return this.#holdFrom(startedAt);
      this.#lock = null;
      if (!this.#isAway) this.#lose();
    }
    await this.#take();
  }

  /** False: refused for certain. Rejects when the answer is unknown: the lock may stand. */
  async #extend(lock: Lock): Promise<boolean> {
    this.#trouble = null;
    lock.expiration = Infinity;
    try {
      this.#lock = await lock.extend(this.#options.ttlMs);
      return true;
    } catch (error) {
      // The key holds something that is no lock: ours is gone as surely as if it were another's.
      if (this.#trouble === null || isOfAnotherType(this.#trouble)) return false;
      throw error;
    }
  }

  async #take(): Promise<void> {
    const { redis, clock, ttlMs, incarnation } = this.#options;
    if (this.#stopped) return;
    this.#trouble = null;
    const key = keys.lease(incarnation);
    const startedAt = clock.monotonic();
    // One connection, one order: the second does not wait for the answer to the first.
    const cleared = this.#isFirstTake ? null : redis.del(key);
    this.#isFirstTake = false;
    const [lock] = await Promise.all([this.#holder.lock(key, ttlMs), cleared]);
    this.#lock = lock;
    this.#holdFrom(startedAt);
  }

  /** Counted from before the call: the answer may have been slow. */
  #holdFrom(startedAt: number): void {
    if (this.#stopped) return;
    this.renewals += 1;
    this.#isTroubled = false;
    const { clock, ttlMs, onTaken, onAnswered } = this.#options;
    this.#sureUntil = startedAt + ttlMs * trustedShare;
    if (clock.monotonic() >= this.#sureUntil) return;
    const wasAway = this.#isAway;
    this.#isAway = false;
    if (this.#held) {
      if (wasAway) onAnswered();
      return;
    }
    this.#held = true;
    this.#tickedAt = clock.monotonic();
    onTaken();
  }

  readonly #noteAway = (): void => {
    if (this.#isAway) return;
    this.#isAway = true;
    this.outages += 1;
  };

  #tick(): void {
    const { clock, ttlMs, onTick } = this.#options;
    this.#cancelTick = clock.after(ttlMs / ticksPerLife, () => {
      this.#loseIfStoodStill();
      this.#tickedAt = clock.monotonic();
      if (this.#held) onTick();
      if (!this.#stopped) this.#tick();
    });
  }

  #loseIfStoodStill(): void {
    const now = this.#options.clock.monotonic();
    if (now >= this.#sureUntil && this.#standsStill(now)) this.#lose();
  }

  #lose(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#term = Symbol('term');
    this.losses += 1;
    this.#options.onLost();
  }
}

function isOfAnotherType({ message }: Error): boolean {
  return message.includes('WRONGTYPE');
}
