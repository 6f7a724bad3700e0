/**
 * Owners that Redis names but no node knows. A node that has just joined is known after the next look at the members; an owner that
 * stays unknown for the life of a lease is no node, and its claim, with whatever lease, would keep the channel for ever. [faults: 122]
 */
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Membership } from './membership.ts';

const maxStrangers = 1_000;

interface Met {
  firstAt: number;
  lastAt: number;
}

export class Strangers {
  readonly #membership: Pick<Membership, 'find'>;
  readonly #leaseTtlMs: number;
  readonly #clock: Clock;
  readonly #met = lruCache<Met>(maxStrangers);

  constructor(membership: Pick<Membership, 'find'>, leaseTtlMs: number, clock: Clock) {
    this.#membership = membership;
    this.#leaseTtlMs = leaseTtlMs;
    this.#clock = clock;
  }

  /** Called whenever an owner is met. */
  isNobody(incarnation: string): boolean {
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
