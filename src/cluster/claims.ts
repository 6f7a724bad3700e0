/**
 * Who has which channel, and may have it: Redis says so while it answers. While it does not, the store does: who minted the last epoch
 * has the channel for as long as it can be reached; another may replace it once it is gone. Two nodes that disagree about that take turns
 * once: who has replaced another does it again only when links have changed since. [architecture §4, §7]
 */
import { lruCache } from '../kernel/lru-cache.ts';
import type { OwnerStore } from '../use-cases/ports/operating.ts';
import type { Directory } from './directory.ts';
import type { NodeLease } from './lease.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

/** Another incarnation owns the channel under a live lease, or as the store says. */
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
  /** Of channels taken without Redis: how often links had changed by then. */
  readonly #turns = lruCache<number>(maxTurns);

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** The incarnation that has it; null: nobody, as far as anybody says. Throws StoreUnavailable when neither Redis nor the store answers. */
  async find(channelId: string): Promise<string | null> {
    const { directory, lease } = this.#options;
    const found = lease.isSure() ? await directory.find(channelId).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    const last = await this.#lastOwner(channelId);
    if (last === null || this.#mayReplace(channelId, last)) return null;
    directory.remember(channelId, last);
    return last;
  }

  /** Makes it this node's. False: Redis did not say so. Throws NotOwner, StoreUnavailable. */
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

  /** Redis answers: what was decided without it is decided anew. */
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
