/**
 * This node's lease: one redlock lock per node incarnation, never one per channel. Every grant of a channel is valid only while the lease
 * lives. The only file that uses redlock: `lock`, `extend` and `unlock` with redlock's own scripts.
 *
 *   none ── taken ──▶ held ── renewed four times per life ──▶ held
 *    ▲                 │  ▲                                     │
 *    │                 │  └── Redis answers: renewed or taken ◀─┴── no answer: unsure, for any time
 *    └─────────────────┴── refused (the key is gone or another's), or the timers of this node stood still: lost, a new term begins
 *
 * Rules:
 * - the lease is renewed on a connection of its own, so that a busy command queue can't starve it;
 * - "sure" ends before the lease does, by the monotonic clock, which continues during a SIGSTOP;
 * - a missing answer means "unknown": it neither renews nor loses the lease. An unsure owner goes on, and the store is asked after each claim;
 * - a key that is missing after an outage is not a loss: the lease is taken again, and the channels are compared with the store
 *   (`confirmations.ts`). A lost lease is taken again, too.
 *
 * What redlock 4.2 does not do, and this file does:
 * - validity: `acquire` uses the wall clock and does not check again before it returns. Before an extend, `expiration` is set to Infinity;
 * - retries: `retryCount` per call is ignored, and redlock does not know the margin. So redlock never retries; the next turn here does;
 * - a failed extend unlocks, which would release the lease because of one slow answer. So the holding instance has an unlock script
 *   that does nothing, and `stop` unlocks by another instance;
 * - an unanswered lock may leave a key that refuses the next lock. The key contains this run's random incarnation, so it is this node's
 *   own: every lock but the first deletes it on the way. [architecture §4]
 */
import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import type { Lock } from 'redlock';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { keys } from './keys.ts';

/** Renewals per life of the lease, the share of its life that this node trusts, and retries per life after a missing answer. */
const renewalsPerLife = 4;
const trustedShare = 0.75;
const retriesPerLife = 16;
/** Timer checks per life of the lease, and the share of a life that the timers may be late unless Redis has answered meanwhile. */
const ticksPerLife = 8;
const standstillShare = 0.5;

interface LeaseOptions {
  redis: Redis;
  incarnation: string;
  ttlMs: number;
  clock: Clock;
  log: Log;
  /** Another node has the lease, or may have had it: everything held under it must stop. Called once per loss. */
  onLost: () => void;
  /** The lease is held, for the first time or again after a loss. */
  onTaken: () => void;
  /** Redis answers again, and the lease was held throughout. */
  onAnswered: () => void;
  /** Called several times per life of the lease, while it is held. */
  onTick: () => void;
}

export class NodeLease {
  readonly #options: LeaseOptions;
  readonly #holder: Redlock;
  readonly #releaser: Redlock;
  #isFirstTake = true;
  #isTroubled = false;
  #lock: Lock | null = null;
  /** Redis did not answer, or answered with an error: the outcome is unknown. */
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
  /** Number of Redis outages. */
  outages = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#holder = new Redlock([options.redis], { retryCount: 0, unlockScript: () => 'return #KEYS' });
    this.#holder.on('clientError', (error) => {
      this.#trouble = error;
    });
    this.#releaser = new Redlock([options.redis]);
  }

  /** Whether claims and upstream calls may still be made: nothing shows that the lease has ended. */
  isValid(): boolean {
    const now = this.#options.clock.monotonic();
    return this.#held && (now < this.#sureUntil || !this.#standsStill(now));
  }

  /** Whether Redis has confirmed the lease recently: otherwise another node may own this node's channels. */
  isSure(): boolean {
    return this.#held && !this.#isAway && this.#options.clock.monotonic() < this.#sureUntil;
  }

  /** Whether the timers of this node were late for longer than other nodes wait for a node. */
  #standsStill(now: number): boolean {
    return now - this.#tickedAt >= this.#options.ttlMs * standstillShare;
  }

  /** Whether the present term lasts: not from its first loss on, even when the lease is held again. */
  term(): () => boolean {
    const term = this.#term;
    return () => term === this.#term && this.isValid();
  }

  /** Tries once, then keeps trying: the node starts even if Redis is away. Never rejects. */
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
        this.#logTrouble(this.#trouble ?? asError(error));
        return ttlMs / retriesPerLife;
      })
      .then((pauseMs) => this.#schedule(pauseMs));
    return this.#turn;
  }

  /** Once until a renewal succeeds. While Redis is away its connection logs that. */
  #logTrouble(error: Error): void {
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

  /** False: definitely refused. Rejects when the outcome is unknown: the lock may still exist. */
  async #extend(lock: Lock): Promise<boolean> {
    this.#trouble = null;
    lock.expiration = Infinity;
    try {
      this.#lock = await lock.extend(this.#options.ttlMs);
      return true;
    } catch (error) {
      // The key holds a value of another type: our lock is as surely gone as if another node held it.
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
    // One connection keeps the order, so the lock need not wait for the answer to the deletion.
    const cleared = this.#isFirstTake ? null : redis.del(key);
    this.#isFirstTake = false;
    const [lock] = await Promise.all([this.#holder.lock(key, ttlMs), cleared]);
    this.#lock = lock;
    this.#holdFrom(startedAt);
  }

  /** The life counts from before the call, because the answer may have been slow. */
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
