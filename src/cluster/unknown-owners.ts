/**
 * Owners that Redis names but no node knows. A node that has just joined is known after the next membership look-up. An owner that stays
 * unknown for the life of a lease is not a node, and its claim could keep the channel for ever, whatever lease it has. [faults: 122]
 */
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Membership } from './membership.ts';

const maxUnknown = 1_000;

interface Met {
  firstAt: number;
  lastAt: number;
}

export class UnknownOwners {
  readonly #membership: Pick<Membership, 'find'>;
  readonly #leaseTtlMs: number;
  readonly #clock: Clock;
  readonly #met = lruCache<Met>(maxUnknown);

  constructor(membership: Pick<Membership, 'find'>, leaseTtlMs: number, clock: Clock) {
    this.#membership = membership;
    this.#leaseTtlMs = leaseTtlMs;
    this.#clock = clock;
  }

  /** Called whenever Redis names this owner. True when it has been unknown for the life of a lease. */
  isStillUnknown(incarnation: string): boolean {
    if (this.#membership.find(incarnation) !== undefined) {
      this.#met.delete(incarnation);
      return false;
    }
    const now = this.#clock.monotonic();
    const met = this.#met.get(incarnation);
    const isAnew = met === undefined || now - met.lastAt > this.#leaseTtlMs;
    const firstAt = isAnew ? now : met.firstAt;
    this.#met.set(incarnation, { firstAt, lastAt: now });
    return now - firstAt >= this.#leaseTtlMs;
  }
}
