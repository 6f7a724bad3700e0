import type { OwnershipGrant, Ownership } from '../../actors/runtime/actor.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Claims } from './claims.ts';
import { Grant } from './grant.ts';
import type { NodeLease } from './lease.ts';
import type { Member } from './member.ts';

interface OwnershipOptions {
  self: Pick<Member, 'incarnation'>;
  lease: Pick<NodeLease, 'term' | 'isSure' | 'outages'>;
  claims: Pick<Claims, 'claim' | 'free'>;
  log: Log;
  counters: Counters;
  onAcquired: (channelId: string) => void;
  /** The channel is free: another node may claim it now. */
  onReleased: (channelId: string) => void;
}

const maxDoublings = 20;

/** Claims a channel in the store, which mints the epoch that decides who may act; serves it; frees it. [architecture §4, Acquire] */
export class ClusterOwnership implements Ownership {
  readonly #options: OwnershipOptions;
  /**
   * Consecutive times that an owner here was fenced. A store restored from a backup counts epochs from below those in use; doubling the
   * step exceeds any of them within about twenty tries.
   */
  readonly #fences = lruCache<number>(10_000);
  /** The grant that was last handed out: a late release of an earlier grant must not release the new claim. */
  readonly granted = new Map<string, Grant>();

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** Throws StoreUnavailable when the store or this node's lease fails, NotOwner when another node owns the channel. */
  async acquire(channelId: string): Promise<OwnershipGrant> {
    const { lease } = this.#options;
    const isOfTerm = lease.term();
    const confirmedIn = lease.isSure() ? lease.outages : null;
    if (!isOfTerm()) throw new StoreUnavailable("this node's lease is not valid");
    this.granted.delete(channelId);
    const epoch = await this.#claim(channelId);
    // The lease ended while the store was slow. The channel stays this node's, which claims it again once it has a lease.
    if (!isOfTerm()) throw new StoreUnavailable("this node's lease was lost meanwhile");
    const held = new Grant(epoch, { isOfTerm, lease, confirmedIn });
    this.granted.set(channelId, held);
    this.#options.onAcquired(channelId);
    return held;
  }

  async release(channelId: string, grant: OwnershipGrant): Promise<void> {
    this.#fences.delete(channelId);
    if (this.granted.get(channelId) !== grant) return;
    this.granted.delete(channelId);
    await this.#free(channelId, grant.epoch);
    this.#options.onReleased(channelId);
  }

  /** The activation ended by itself: fenced, or failed. */
  async ended(channelId: string, isFenced: boolean): Promise<void> {
    if (isFenced) this.#fences.set(channelId, (this.#fences.get(channelId) ?? 0) + 1);
    else this.#fences.delete(channelId);
    const held = this.granted.get(channelId);
    if (held === undefined) return;
    this.granted.delete(channelId);
    if (!isFenced) await this.#free(channelId, held.epoch);
  }

  /** The lease is lost: the channels stay this node's, which claims them again once it has a lease, unless others have found it gone. */
  forgetAll(): void {
    this.granted.clear();
  }

  async #claim(channelId: string): Promise<number> {
    const { claims, self, counters, log } = this.#options;
    const step = 2 ** Math.min(this.#fences.get(channelId) ?? 0, maxDoublings);
    const { epoch, previous } = await claims.claim(channelId, step);
    counters.increment('epochs_minted_total');
    if (previous !== null && previous !== self.incarnation) {
      counters.increment('takeovers_total');
      log.info({ channel: channelId, epoch, from: previous }, 'channel.taken-over');
    }
    return epoch;
  }

  async #free(channelId: string, epoch: number): Promise<void> {
    const { claims, log } = this.#options;
    // A channel that stays this node's in the store leads asks here, and this node claims it again.
    await claims
      .free(channelId, epoch)
      .catch((error: unknown) =>
        log.warn({ channel: channelId, error: asError(error) }, 'channel.release-failed'),
      );
  }
}
