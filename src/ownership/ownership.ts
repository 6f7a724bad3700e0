import type { OwnershipGrant, Ownership } from '../../actors/runtime/actor.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { OwnerStore } from '../storage/owners.ts';
import { NotOwner } from './claims.ts';
import type { Claims } from './claims.ts';
import type { Directory } from './directory.ts';
import { Grant } from './grant.ts';
import type { NodeLease } from './lease.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

interface OwnershipOptions {
  self: Pick<Member, 'nodeId' | 'incarnation' | 'leaseTtlMs'>;
  lease: Pick<NodeLease, 'grant' | 'isSure' | 'outages'>;
  claims: Pick<Claims, 'claim'>;
  directory: Pick<Directory, 'declareDead' | 'release'>;
  membership: Pick<Membership, 'find'>;
  owners: Pick<OwnerStore, 'mint'>;
  clock: Clock;
  log: Log;
  counters: Counters;
  onAcquired: (channelId: string) => void;
  /** The channel is free in Redis: another node may claim it now. */
  onReleased: (channelId: string) => void;
}

const maxDoublings = 20;

/**
 * Redis claim → epoch from the store → serve. Redis, or the store while Redis does not answer, decides who tries; the epoch decides who may
 * act. If the store can't mint an epoch, the claim is released. [architecture §4, Acquire]
 */
export class ClusterOwnership implements Ownership {
  readonly #options: OwnershipOptions;
  /**
   * Consecutive times that an owner here was fenced. A store restored from a backup counts epochs from below those in use; doubling the
   * step exceeds any of them within about twenty tries.
   */
  readonly #fences = lruCache<number>(10_000);
  /** The grant that was last handed out: a late release of an earlier grant must not release the new claim. */
  readonly granted = new Map<string, Grant>();

  readonly #unknownOwners: UnknownOwners;

  constructor(options: OwnershipOptions) {
    this.#options = options;
    this.#unknownOwners = new UnknownOwners(options.membership, options.self.leaseTtlMs, options.clock);
  }

  /** Throws StoreUnavailable when Redis, the store or this node's lease fails, NotOwner when another node owns the channel. */
  async acquire(channelId: string): Promise<OwnershipGrant> {
    const { lease } = this.#options;
    const isOfTerm = lease.grant();
    const { outages } = lease;
    if (!isOfTerm()) throw new StoreUnavailable("this node's lease is not valid");
    this.granted.delete(channelId);
    const isInRedis = await this.#claim(channelId);
    try {
      const epoch = await this.#mint(channelId);
      // The lease ended while the store was slow: another node may have claimed the channel before this epoch was minted.
      if (!isOfTerm()) throw new StoreUnavailable("this node's lease was lost meanwhile");
      const held = new Grant(epoch, { isOfTerm, lease, confirmedIn: isInRedis ? outages : null });
      this.granted.set(channelId, held);
      this.#options.onAcquired(channelId);
      return held;
    } catch (error) {
      await this.#free(channelId);
      throw error;
    }
  }

  async release(channelId: string, lease: OwnershipGrant): Promise<void> {
    this.#fences.delete(channelId);
    if (this.granted.get(channelId) !== lease) return;
    this.granted.delete(channelId);
    await this.#free(channelId);
    this.#options.onReleased(channelId);
  }

  /** The activation ended by itself: fenced, or failed. */
  async ended(channelId: string, isFenced: boolean): Promise<void> {
    if (isFenced) this.#fences.set(channelId, (this.#fences.get(channelId) ?? 0) + 1);
    else this.#fences.delete(channelId);
    if (this.granted.delete(channelId)) await this.#free(channelId);
  }

  /** The lease is lost: the claims in Redis do not count any more, and to release them would cost up to ten thousand commands. */
  forgetAll(): void {
    this.granted.clear();
  }

  /** False: Redis did not confirm the claim. */
  async #claim(channelId: string): Promise<boolean> {
    const { directory, claims } = this.#options;
    try {
      return await claims.claim(channelId);
    } catch (error) {
      if (!(error instanceof NotOwner) || !this.#unknownOwners.isStillUnknown(error.owner)) throw error;
      await directory.declareDead(error.owner).catch(() => undefined); // the claim below reports the error
      return claims.claim(channelId);
    }
  }

  async #mint(channelId: string): Promise<number> {
    const { owners, self, clock, counters, log } = this.#options;
    const { nodeId, incarnation } = self;
    const step = 2 ** Math.min(this.#fences.get(channelId) ?? 0, maxDoublings);
    const owner = { nodeId, incarnation };
    const { epoch, previous } = await owners.mint(channelId, owner, clock.now(), step);
    counters.increment('epochs_minted_total');
    if (previous !== null && previous !== incarnation) {
      counters.increment('takeovers_total');
      log.info({ channel: channelId, epoch, from: previous }, 'channel.taken-over');
    }
    return epoch;
  }

  async #free(channelId: string): Promise<void> {
    const { directory, lease, log } = this.#options;
    if (!lease.isSure()) return; // a claim left in Redis leads asks to this node, which claims the channel again
    await directory
      .release(channelId)
      .catch((error: unknown) =>
        log.warn({ channel: channelId, error: asError(error) }, 'channel.release-failed'),
      );
  }
}

const maxUnknown = 1_000;

interface Met {
  firstAt: number;
  lastAt: number;
}

/**
 * Owners that Redis names but no node knows. A node that has just joined is known after the next membership look-up. An owner that stays
 * unknown for the life of a lease is not a node, and its claim could keep the channel for ever, whatever lease it has. [faults: 122]
 */
class UnknownOwners {
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
