/** The live feed over the links, while Redis does not carry it: which peers have subscribers, and the events for them. [architecture §8] */
import type { Link } from './link.ts';
import type { Links } from './links.ts';
import type { Frame } from './wire.ts';

/** How a node gets events: through `redis`, or over its `links` while it can't receive from Redis. */
type Way = Extract<Frame, { f: 'listens' }>['way'];
type By = 'any' | 'links';
type FeedLink = Pick<Link, 'send' | 'offer'>;

interface FeedLinks extends Pick<Links, 'broadcast'> {
  readonly changes: number;
  open(): FeedLink[];
  get(incarnation: string): FeedLink | undefined;
}

export class Feed {
  readonly #links: FeedLinks;
  /** null: this node has no subscribers of the feed. */
  #own: Way | null = null;
  readonly #peers = new WeakMap<FeedLink, Way>();
  #hasSubscribers: Record<By, boolean> = { any: false, links: false };
  /** `changes` of the links when `#hasSubscribers` was computed. */
  #asOf = 0;
  #onEvent: (channel: string, packet: Uint8Array) => void = () => undefined;
  #repeat: () => void = () => undefined;

  constructor(links: FeedLinks) {
    this.#links = links;
  }

  /** Tells every present and future peer that this node has subscribers, and how it gets events. */
  subscribe(way: Way): void {
    if (this.#own === way) return;
    this.#own = way;
    this.#links.broadcast({ f: 'listens', way });
  }

  /** Whether a peer has subscribers; `links`: one that can't receive from Redis. Called for each event: recomputed only after a change of links or peers. */
  hasSubscribers(by: By): boolean {
    if (this.#asOf !== this.#links.changes) this.#countPeers();
    return this.#hasSubscribers[by];
  }

  /** Sends to the peers with subscribers; `links`: only those that can't receive from Redis. Dropped for a peer that reads too slowly. */
  publish(by: By, channel: string, packet: Uint8Array): void {
    if (!this.hasSubscribers(by)) return;
    const frame = { f: 'event', channel, packet: Buffer.from(packet).toString('base64') } as const;
    for (const link of this.#links.open()) {
      const way = this.#peers.get(link);
      if (way === 'links' || (way === 'redis' && by === 'any')) link.offer(frame, frame.packet.length);
    }
  }

  /** Calls `repeat` when a peer has subscribers and can't receive from Redis: events that Redis has not acknowledged must be sent to it. */
  onPeerWithoutRedis(repeat: () => void): void {
    this.#repeat = repeat;
  }

  onEvent(listener: (channel: string, packet: Uint8Array) => void): void {
    this.#onEvent = listener;
  }

  linked(incarnation: string): void {
    if (this.#own !== null) this.#links.get(incarnation)?.send({ f: 'listens', way: this.#own });
  }

  receive(link: FeedLink, frame: Extract<Frame, { f: 'listens' | 'event' }>): void {
    if (frame.f === 'event') this.#onEvent(frame.channel, Buffer.from(frame.packet, 'base64'));
    else {
      this.#peers.set(link, frame.way);
      this.#countPeers();
      if (frame.way === 'links') this.#repeat();
    }
  }

  #countPeers(): void {
    this.#asOf = this.#links.changes;
    const ways = this.#links.open().map((link) => this.#peers.get(link));
    const links = ways.includes('links');
    this.#hasSubscribers = { links, any: links || ways.includes('redis') };
  }
}
