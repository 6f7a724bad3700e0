/**
 * Who owns a channel, and who may claim it. The store decides: a claim is granted if the channel is free, or if this node names the owner
 * as one that is gone. A node is gone that is no member, by Redis while it answers. Otherwise a member is, too, that drains, or whose link
 * has been missed for the life of its lease; two nodes that disagree about that replace each other at most once: a node that has replaced
 * another does so again only after its links have changed. [architecture §4, §7]
 */
import { batchPerTick } from '../kernel/batches.ts';
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { LastOwner, Minted, OwnerStore } from '../storage/owners.ts';
import type { NodeLease } from './lease.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

/** Another incarnation owns the channel, and it is not gone as far as this node knows. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  readonly owner: string;

  constructor(owner: string) {
    super('another node owns the channel');
    this.owner = owner;
  }
}

const maxChannels = 100_000;
/** Incarnations that each claim names beforehand, so that to take over what a node had costs one question each. */
const maxGone = 4;
/** How long a wake says that its sender does not own the channel: longer than it takes to claim it. */
const givenMs = 5_000;
/** Channels per look-up. */
const perQuery = 200;

interface ClaimsOptions {
  self: Pick<Member, 'nodeId' | 'incarnation'>;
  lease: Pick<NodeLease, 'isSure'>;
  membership: Pick<Membership, 'find' | 'refresh'>;
  links: Pick<Links, 'changes' | 'missedMs'>;
  owners: Pick<OwnerStore, 'mint' | 'release' | 'lastOwners'>;
  clock: Clock;
}

export class Claims {
  readonly #options: ClaimsOptions;
  /** For each channel that was taken from a node without Redis: the count of link changes at that time. */
  readonly #turns = lruCache<number>(maxChannels);
  /** The nodes that were found gone last. */
  readonly #gone = lruCache<true>(maxGone);
  /** The node of an earlier build that has last woken a channel here. */
  readonly #given = lruCache<string>(maxChannels, { ttl: givenMs });
  readonly #lastOwner: (channelId: string) => Promise<LastOwner | undefined>;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#lastOwner = batchPerTick(perQuery, async (channelIds) => {
      const found = await options.owners.lastOwners(channelIds);
      return channelIds.map((channelId) => found.get(channelId));
    });
  }

  /** The incarnation that owns the channel, gone or not; null: it is free. Throws StoreUnavailable. */
  async find(channelId: string): Promise<string | null> {
    return (await this.#lastOwner(channelId))?.incarnation ?? null;
  }

  /** Claims the channel for this node, under an epoch that is `step` higher. Throws NotOwner, StoreUnavailable. */
  async claim(channelId: string, step: number): Promise<Minted> {
    const { self, lease, links } = this.#options;
    const isSure = lease.isSure();
    const first = await this.#mint(channelId, step, isSure ? this.#goneNodes() : []);
    if (first.owner === self.incarnation) return first;
    if (!(await this.#mayReplace(channelId, first.owner))) throw new NotOwner(first.owner);
    const { changes } = links;
    const second = await this.#mint(channelId, step, [first.owner]);
    if (second.owner !== self.incarnation) throw new NotOwner(second.owner);
    if (!isSure) this.#turns.set(channelId, changes);
    return second;
  }

  /** Frees the channel, if this node owns it (under this epoch, if one is given). Rejects when the store does not answer. */
  free(channelId: string, epoch?: number): Promise<void> {
    const { owners, self } = this.#options;
    return owners.release(channelId, self.incarnation, epoch);
  }

  /** A node is gone: each claim may replace it, unless it comes back. */
  gone(incarnation: string): void {
    this.#gone.set(incarnation, true);
  }

  /** A node of an earlier build wakes the channel here, so it does not own it: it frees channels in Redis only. [operating/upgrade] */
  given(channelId: string, by: string): void {
    this.#given.set(channelId, by);
  }

  /** Redis answers again, so the replacements made without it are forgotten. */
  forgetTurns(): void {
    this.#turns.clear();
  }

  #mint(channelId: string, step: number, from: readonly string[]): Promise<Minted> {
    const { owners, self, clock } = this.#options;
    const { nodeId, incarnation } = self;
    return owners.mint(channelId, { nodeId, incarnation }, clock.now(), { step, from });
  }

  #goneNodes(): string[] {
    const { membership } = this.#options;
    return [...this.#gone.keys()].filter((incarnation) => membership.find(incarnation) === undefined);
  }

  async #mayReplace(channelId: string, owner: string): Promise<boolean> {
    const { lease, membership } = this.#options;
    if (this.#given.get(channelId) === owner) return this.#given.delete(channelId);
    if (!lease.isSure()) return this.#mayReplaceUnasked(channelId, owner);
    if (membership.find(owner) === undefined) await membership.refresh().catch(() => undefined); // it may have just joined
    if (membership.find(owner) !== undefined) return false;
    this.gone(owner);
    return true;
  }

  #mayReplaceUnasked(channelId: string, owner: string): boolean {
    const { membership, links } = this.#options;
    if (this.#turns.get(channelId) === links.changes) return false;
    const member = membership.find(owner);
    return member === undefined || member.draining || links.missedMs(owner) >= member.leaseTtlMs;
  }
}
