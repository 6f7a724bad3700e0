/** Whether a node still announces itself: its count rises. Judged by what looks show and not by any clock of another node. */
import type { Announcement } from './member.ts';
import { lruCache } from '../kernel/lru-cache.ts';

/** An incarnation is one run of a node, and only who knows the secret can announce one. */
const maxIncarnations = 10_000;
/** Nodes announce themselves twice in a lease. */
const leasesOfSilence = 2;

interface Heard {
  count: number;
  /** Without a new announcement, counted while looks are answered. */
  silentMs: number;
}

export class RecentAnnouncements {
  readonly #longestLookMs: number;
  readonly #heard = lruCache<Heard>(maxIncarnations);
  #lookedAt = 0;

  constructor({ everyMs }: { everyMs: number }) {
    this.#longestLookMs = 2 * everyMs;
  }

  isRecent({ member, count }: Announcement, now: number): boolean {
    const heard = this.#heard.get(member.incarnation);
    if (heard === undefined || count > heard.count) {
      this.#heard.set(member.incarnation, { count, silentMs: 0 });
      return true;
    }
    heard.silentMs += this.#sinceLook(now);
    return heard.silentMs < leasesOfSilence * member.leaseTtlMs;
  }

  /** This look is over. */
  looked(now: number): void {
    this.#lookedAt = now;
  }

  /** While Redis or this node stood still nobody was heard, and nobody is to blame. */
  #sinceLook(now: number): number {
    return Math.min(now - this.#lookedAt, this.#longestLookMs);
  }
}
