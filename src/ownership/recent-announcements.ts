import { lruCache } from '../kernel/lru-cache.ts';
import type { Announcement } from './announcement.ts';

/** An incarnation is one run of a node, and only nodes that know the secret can announce one. */
const maxIncarnations = 10_000;
/** A node that has not announced itself for two leases is silent; it announces itself twice per lease. */
const leasesOfSilence = 2;

interface Heard {
  count: number;
  /** Time without a new announcement, counted only while Redis answers the look-ups. */
  silentMs: number;
}

/** Whether a node still announces itself: its count must rise. Judged by this node's look-ups alone, never by another node's clock. */
export class RecentAnnouncements {
  readonly #maxRefreshMs: number;
  readonly #heard = lruCache<Heard>(maxIncarnations);
  #refreshedAt = 0;

  constructor({ everyMs }: { everyMs: number }) {
    this.#maxRefreshMs = 2 * everyMs;
  }

  isRecent({ member, count }: Announcement, now: number): boolean {
    const heard = this.#heard.get(member.incarnation);
    if (heard === undefined || count > heard.count) {
      this.#heard.set(member.incarnation, { count, silentMs: 0 });
      return true;
    }
    heard.silentMs += this.#sinceRefresh(now);
    return heard.silentMs < leasesOfSilence * member.leaseTtlMs;
  }

  /** A look-up of the members has ended. */
  refreshed(now: number): void {
    this.#refreshedAt = now;
  }

  /** Capped: while Redis or this node was unresponsive, no announcement could arrive. */
  #sinceRefresh(now: number): number {
    return Math.min(now - this.#refreshedAt, this.#maxRefreshMs);
  }
}
