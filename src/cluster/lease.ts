/**
 * This node's lease: one redlock lock per node session, never one per channel. Every claim of a channel is valid only while
 * it lives. The only file that knows redlock.
 *
 * Rules it keeps: renewed on a connection of its own, so that a busy command queue cannot starve it; local validity ends
 * before the lease does, by the monotonic clock, which runs on through a SIGSTOP; a lost lease is reported at once, and taken
 * again by itself when Redis answers again. Traps of redlock 4.2: `retryCount` per call is ignored (set on the instance), an
 * expired lock can't be extended (take a new one). [architecture §4]
 */
import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import type { Lock } from 'redlock';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { keys } from './keys.ts';

/** Renewals per lease life, and the share of it this node trusts. */
const renewalsPerLife = 4;
const trustedShare = 0.75;

export interface LeaseOptions {
  redis: Redis;
  session: string;
  ttlMs: number;
  clock: Clock;
  log: Log;
  /** Validity ended: everything held under the lease must stop. Called once per loss. */
  onLost(): void;
  /** Held again after a loss. */
  onTaken(): void;
}

export class NodeLease {
  readonly #options: LeaseOptions;
  readonly #redlock: Redlock;
  #lock: Lock | null = null;
  #validUntil = -Infinity;
  #held = false;
  #stopped = false;
  #cancelRenewal: () => void = () => undefined;
  #cancelExpiry: () => void = () => undefined;
  renewals = 0;
  losses = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#redlock = new Redlock([options.redis], { retryCount: 0, driftFactor: 0.01 });
    this.#redlock.on('clientError', () => undefined); // reported by the failing call itself
  }

  /** Whether a claim or upstream call may still be made: ends before the lease does. */
  isValid(): boolean {
    return this.#options.clock.monotonic() < this.#validUntil;
  }

  /** First take; afterwards it renews itself. Rejects when Redis does not answer or the key is held. */
  async start(): Promise<void> {
    await this.#renew();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRenewal();
    this.#cancelExpiry();
    this.#validUntil = -Infinity;
    await Promise.resolve(this.#lock?.unlock()).catch(() => undefined);
  }

  #schedule(): void {
    const { clock, ttlMs, log } = this.#options;
    this.#cancelRenewal = clock.after(ttlMs / renewalsPerLife, () => {
      this.#renew()
        .catch((error: unknown) => log.warn({ error: asError(error) }, 'lease.renewal-failed'))
        .finally(() => {
          if (!this.#stopped) this.#schedule();
        });
    });
  }

  async #renew(): Promise<void> {
    const { clock, ttlMs, session } = this.#options;
    const startedAt = clock.monotonic();
    const expired = startedAt >= this.#validUntil;
    try {
      this.#lock =
        this.#lock === null || expired
          ? await this.#redlock.lock(keys.lease(session), ttlMs)
          : await this.#lock.extend(ttlMs);
    } catch (error) {
      this.#lock = null; // taken anew with the next turn
      throw error;
    }
    if (this.#stopped) return;
    this.renewals += 1;
    this.#validUntil = startedAt + ttlMs * trustedShare; // counted from before the call: the answer may have been slow
    this.#watchExpiry();
    if (!this.#held) {
      this.#held = true;
      this.#options.onTaken();
    }
  }

  #watchExpiry(): void {
    const { clock } = this.#options;
    this.#cancelExpiry();
    this.#cancelExpiry = clock.after(this.#validUntil - clock.monotonic(), () => {
      if (this.isValid() || !this.#held) return;
      this.#held = false;
      this.losses += 1;
      this.#options.onLost();
    });
  }
}
