/**
 * Channels follow their sends. Behind a proxy that brings all requests with one API key to one node, the same node asks a channel's owner
 * again and again; the owner gives it the channel, and later sends need no link. Behind a proxy that takes the nodes in turn, no node asks
 * often enough in a row, and channels stay where placement puts them. [operating/deploying, By API key]
 */
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Homes } from './homes.ts';
import type { Link } from './link.ts';
import type { ChannelHost } from './local.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Rebalancer } from './rebalancer.ts';

/** Sends in a row from one node, after which the channel follows: a move costs as much as so many sends over a link. */
const enough = 16;
/** After so many the channel moves although it is busy: its sends wait until the calls in flight have ended. */
const evenIfBusy = 64;
/** A channel moves at most once in this time. */
const restMs = 60_000;
/** Channels that one node gives away in a minute: to load one costs its next owner about 10 ms. */
const maxAMinute = 600;
/** A channel is at home here no longer when this many more than half of its sends have come over links. */
const maxStrays = 64;
/** A node gets no more channels than this many times its share, unless it has few. */
const maxShare = 1.5;
const few = 16;
const maxRuns = 10_000;

/** Sends of one channel over links. */
interface Run {
  from: string;
  /** The latest ones, all from that node, with none in between that reached this node directly. */
  length: number;
  /** Two for each send over a link, less one for each that was not. */
  strays: number;
}

interface FollowingOptions {
  self: Member;
  host: Pick<ChannelHost, 'size'> & { live(channelId: string): { isIdle: boolean } | undefined };
  homes: Homes;
  membership: Pick<Membership, 'placeable'>;
  links: { get(incarnation: string): Pick<Link, 'owns'> | undefined };
  rebalancer: Pick<Rebalancer, 'acquired' | 'give'>;
  clock: Clock;
  counters: Counters;
  /** Whether channels may follow now: without Redis, nodes may disagree about the owners. */
  canMove: () => boolean;
}

export class Following {
  readonly #options: FollowingOptions;
  readonly #runs = lruCache<Run>(maxRuns);
  #given = { since: 0, channels: 0 };

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** A send has reached this node, the owner, without a link. */
  sentHere(channelId: string): void {
    if (this.#runs.size === 0) return;
    const run = this.#runs.get(channelId);
    if (run === undefined) return;
    run.length = 0;
    run.strays -= 1;
    if (run.strays <= 0) this.#runs.delete(channelId);
  }

  /** This node, the owner, has answered a send that the peer brought it. */
  sentFor(peer: string, channelId: string): void {
    const run = this.#runs.get(channelId) ?? { from: peer, length: 0, strays: 0 };
    run.length = run.from === peer ? run.length + 1 : 1;
    run.from = peer;
    run.strays += 2;
    this.#runs.set(channelId, run);
    if (run.length < enough && run.strays < maxStrays) return;
    if (!this.#options.homes.hasMovedWithin(channelId, restMs)) this.#follow(channelId, run);
  }

  #follow(channelId: string, run: Run): void {
    const { homes, host, rebalancer, counters } = this.#options;
    const live = host.live(channelId);
    if (live === undefined) return;
    if (run.length >= enough) {
      if (!(live.isIdle || run.length >= evenIfBusy) || !this.#mayGive(run.from)) return;
      this.#runs.delete(channelId);
      counters.increment('channels_followed_total');
      void rebalancer.give(channelId, run.from);
    } else if (homes.isHere(channelId)) {
      this.#runs.delete(channelId);
      homes.leave(channelId);
      rebalancer.acquired(channelId); // moves it, unless placement assigns it to this node
    }
  }

  /** Counts the channel as given. */
  #mayGive(to: string): boolean {
    const { self, membership, links, canMove, clock } = this.#options;
    const link = links.get(to);
    const nodes = membership.placeable();
    if (self.draining || !canMove() || typeof link?.owns !== 'number') return false;
    if (!nodes.some(({ incarnation }) => incarnation === to)) return false;
    if (link.owns >= Math.max(few, maxShare * this.#share(nodes))) return false;
    const now = clock.monotonic();
    if (now - this.#given.since >= 60_000) this.#given = { since: now, channels: 0 };
    if (this.#given.channels >= maxAMinute) return false;
    this.#given.channels += 1;
    link.owns += 1; // until it says so itself
    return true;
  }

  /** The channels that are live on a node, on average. */
  #share(nodes: readonly Member[]): number {
    const { self, host, links } = this.#options;
    const owned = nodes.map(({ incarnation }) =>
      incarnation === self.incarnation ? host.size : (links.get(incarnation)?.owns ?? 0),
    );
    return owned.reduce((sum, each) => sum + each, 0) / owned.length;
  }
}
