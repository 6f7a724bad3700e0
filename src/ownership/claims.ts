/**
 * Who owns a channel, and who may claim it: Redis decides while it answers. Otherwise the store does: the node that minted the last epoch
 * owns the channel while it can be reached; another may replace it once it is gone. Two nodes that disagree about that replace each other
 * at most once: a node that has replaced another does so again only after its links have changed. [architecture §4, §7]
 */
import { lruCache } from '../kernel/lru-cache.ts';
import type { OwnerStore } from '../storage/owners.ts';
import type { Directory } from './directory.ts';
import type { NodeLease } from './lease.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

/** Another incarnation owns the channel, under a live lease in Redis or according to the store. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  readonly owner: string;

  constructor(owner: string) {
    super('another node owns the channel');
    this.owner = owner;
  }
}

const maxTurns = 100_000;

interface ClaimsOptions {
  self: Pick<Member, 'incarnation'>;
  lease: Pick<NodeLease, 'isSure'>;
  directory: Pick<Directory, 'find' | 'claim' | 'remember'>;
  membership: Pick<Membership, 'find'>;
  links: Pick<Links, 'changes' | 'missedMs'>;
  owners: Pick<OwnerStore, 'lastOwners'>;
}

export class Claims {
  readonly #options: ClaimsOptions;
  /** For each channel taken without Redis: the count of link changes at that time. */
  readonly #turns = lruCache<number>(maxTurns);

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** The incarnation that owns the channel; null: nobody known. Throws StoreUnavailable when neither Redis nor the store answers. */
  async find(channelId: string): Promise<string | null> {
    const { directory, lease } = this.#options;
    const found = lease.isSure() ? await directory.find(channelId).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    const last = await this.#lastOwner(channelId);
    if (last === null || this.#mayReplace(channelId, last)) return null;
    directory.remember(channelId, last);
    return last;
  }

  /** Claims the channel for this node. Returns false when Redis did not confirm it. Throws NotOwner, StoreUnavailable. */
  async claim(channelId: string): Promise<boolean> {
    const { directory, lease, self } = this.#options;
    const owner = lease.isSure() ? await directory.claim(channelId).catch(() => null) : null;
    if (owner === self.incarnation) return true;
    if (owner !== null) throw new NotOwner(owner);
    const last = await this.#lastOwner(channelId);
    if (last !== null && !this.#mayReplace(channelId, last)) throw new NotOwner(last);
    if (last !== null && last !== self.incarnation) this.#turns.set(channelId, this.#options.links.changes);
    return false;
  }

  /** Redis answers again, so the replacements made without it are forgotten. */
  forgetTurns(): void {
    this.#turns.clear();
  }

  async #lastOwner(channelId: string): Promise<string | null> {
    return (await this.#options.owners.lastOwners([channelId])).get(channelId)?.incarnation ?? null;
  }

  #mayReplace(channelId: string, incarnation: string): boolean {
    const { self, membership, links } = this.#options;
    if (incarnation === self.incarnation) return true;
    if (this.#turns.get(channelId) === links.changes) return false;
    const member = membership.find(incarnation);
    return member === undefined || member.draining || links.missedMs(incarnation) >= member.leaseTtlMs;
  }
}
