/** The live feed over the links, for as long as Redis does not carry it: which peers have subscribers, and what is published to them. [architecture §8] */
import type { Link } from './link.ts';
import type { Links } from './links.ts';
import type { Frame } from './wire.ts';

/** By which a node gets events: `links` while Redis does not reach it. */
type Way = Extract<Frame, { f: 'listens' }>['way'];
type By = 'any' | 'links';

export class Feed {
  readonly #links: Links;
  /** null: the feed has no subscriber on this node. */
  #own: Way | null = null;
  readonly #peers = new WeakMap<Link, Way>();
  #hasSubscribers: Record<By, boolean> = { any: false, links: false };
  /** `changes` of the links at the last look. */
  #asOf = 0;
  #onEvent: (channel: string, packet: Uint8Array) => void = () => undefined;
  #repeat: () => void = () => undefined;

  constructor(links: Links) {
    this.#links = links;
  }

  /** Tells every peer, present and to come, that this node has subscribers, and by which way it gets events. */
  subscribe(way: Way): void {
    if (this.#own === way) return;
    this.#own = way;
    this.#links.broadcast({ f: 'listens', way });
  }

  /** Whether a peer has subscribers; `links`: and Redis does not reach it. Asked for each event: worked out anew when a link or a peer changed. */
  hasSubscribers(by: By): boolean {
    if (this.#asOf !== this.#links.changes) this.#countPeers();
    return this.#hasSubscribers[by];
  }

  /** To the peers with subscribers; `links`: only those that Redis does not reach. Dropped for a peer that reads too slowly. */
  publish(by: By, channel: string, packet: Uint8Array): void {
    if (!this.hasSubscribers(by)) return;
    const frame = { f: 'event', channel, packet: Buffer.from(packet).toString('base64') } as const;
    for (const link of this.#links.open()) {
      const way = this.#peers.get(link);
      if (way === 'links' || (way === 'redis' && by === 'any')) link.offer(frame, frame.packet.length);
    }
  }

  /** Calls when a peer says that it has subscribers, and that Redis does not reach it. */
  onPeerWithoutRedis(repeat: () => void): void {
    this.#repeat = repeat;
  }

  onEvent(listener: (channel: string, packet: Uint8Array) => void): void {
    this.#onEvent = listener;
  }

  linked(incarnation: string): void {
    if (this.#own !== null) this.#links.get(incarnation)?.send({ f: 'listens', way: this.#own });
  }

  receive(link: Link, frame: Extract<Frame, { f: 'listens' | 'event' }>): void {
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
