/**
 * Channels follow their sends. Behind a proxy that brings all requests with one API key to one node, the same node asks a channel's owner
 * again and again; the owner gives it the channel, and later sends need no link. Behind a proxy that takes the nodes in turn, no node asks
 * often enough in a row, and channels stay where placement puts them. [operating/deploying, By API key]
 */
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import type { Counters, Figures } from '../kernel/metrics.ts';
import type { Homes } from './homes.ts';
import type { Link } from './link.ts';
import type { ChannelHost } from './local.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Rebalancer } from './rebalancer.ts';

/** Sends in a row from one node, after which the channel follows: a move costs as much as so many sends over a link. */
const enough = 16;
/** The next one makes it follow if it is not live: it has to be loaded in any case. */
const enoughIfIdle = 2;
/**
 * After so many the channel moves although it is busy: its sends wait until the calls in flight have ended, unless one has taken long already.
 */
const evenIfBusy = 64;
/** A send waits this long for an owner, then it is queued. */
const longSeconds = 5;
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

interface Live {
  isIdle: boolean;
  figures: Figures;
}

interface FollowingOptions {
  self: Member;
  host: Pick<ChannelHost, 'size'> & { live(channelId: string): Live | undefined };
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
    if (run.length >= enough) this.#giveLive(channelId, run);
    else if (run.strays >= maxStrays) this.#giveUp(channelId);
  }

  /**
   * The peer brings a send for a channel that is not live here. true: the channel is the peer's from now on, and the send is to be refused as
   * moved: to load the channel there costs no more than here.
   */
  givesIdle(peer: string, channelId: string): boolean {
    const { host } = this.#options;
    const run = this.#runs.get(channelId);
    if (run === undefined || run.from !== peer || run.length < enoughIfIdle) return false;
    return host.live(channelId) === undefined && this.#give(channelId, peer);
  }

  #giveLive(channelId: string, { from, length }: Run): void {
    const live = this.#options.host.live(channelId);
    if (live === undefined) return;
    if (live.isIdle || (length >= evenIfBusy && endsSoon(live))) this.#give(channelId, from);
  }

  /** Whether the channel is given. */
  #give(channelId: string, to: string): boolean {
    const { homes, rebalancer, counters } = this.#options;
    if (homes.hasMovedWithin(channelId, restMs) || !this.#mayGive(to)) return false;
    this.#runs.delete(channelId);
    counters.increment('channels_followed_total');
    rebalancer.give(channelId, to);
    return true;
  }

  #giveUp(channelId: string): void {
    const { homes, rebalancer } = this.#options;
    if (!homes.isHere(channelId) || homes.hasMovedWithin(channelId, restMs)) return;
    this.#runs.delete(channelId);
    homes.leave(channelId);
    rebalancer.acquired(channelId); // moves it, unless placement assigns it to this node
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

/** A send that waits for its turn would be refused by the move. */
function endsSoon({ figures }: Live): boolean {
  if ((figures['sends_waiting'] ?? 0) > 0) return false;
  const { sends_oldest_open_seconds: send = 0, deliveries_oldest_pending_seconds: delivery = 0 } = figures;
  return Math.max(send, delivery) < longSeconds;
}
