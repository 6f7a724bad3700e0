/** The live feed over the links, for as long as Redis does not carry it: who listens, and what is said to them. [architecture §8] */
import type { Link } from './link.ts';
import type { Links } from './links.ts';
import type { Frame } from './wire.ts';

/** By which a node hears of events: `links` while it does not hear Redis. */
type Way = Extract<Frame, { f: 'listens' }>['way'];
type By = 'any' | 'links';

export class Feed {
  readonly #links: Links;
  /** null: nobody looks at the feed on this node. */
  #own: Way | null = null;
  readonly #peers = new WeakMap<Link, Way>();
  #isListening: Record<By, boolean> = { any: false, links: false };
  /** `changes` of the links at the last look. */
  #asOf = 0;
  #hear: (channel: string, packet: Uint8Array) => void = () => undefined;
  #repeat: () => void = () => undefined;

  constructor(links: Links) {
    this.#links = links;
  }

  /** Tells every peer, present and to come, that this node has subscribers, and which way it hears of events. */
  listen(way: Way): void {
    if (this.#own === way) return;
    this.#own = way;
    this.#links.broadcast({ f: 'listens', way });
  }

  /** Whether a peer listens; `links`: one that does not hear Redis. Asked for each event: it looks when something changed. */
  isListening(by: By): boolean {
    if (this.#asOf !== this.#links.changes) this.#look();
    return this.#isListening[by];
  }

  /** To the peers that listen; `links`: only those that do not hear Redis. Dropped for a peer that reads too slowly. */
  tell(by: By, channel: string, packet: Uint8Array): void {
    if (!this.isListening(by)) return;
    const frame = { f: 'event', channel, packet: Buffer.from(packet).toString('base64') } as const;
    for (const link of this.#links.open()) {
      const way = this.#peers.get(link);
      if (way === 'links' || (way === 'redis' && by === 'any')) link.offer(frame, frame.packet.length);
    }
  }

  /** Calls when a peer says that it listens, and does not hear Redis. */
  onUnheard(repeat: () => void): void {
    this.#repeat = repeat;
  }

  onTold(hear: (channel: string, packet: Uint8Array) => void): void {
    this.#hear = hear;
  }

  linked(incarnation: string): void {
    if (this.#own !== null) this.#links.get(incarnation)?.send({ f: 'listens', way: this.#own });
  }

  receive(link: Link, frame: Extract<Frame, { f: 'listens' | 'event' }>): void {
    if (frame.f === 'event') this.#hear(frame.channel, Buffer.from(frame.packet, 'base64'));
    else {
      this.#peers.set(link, frame.way);
      this.#look();
      if (frame.way === 'links') this.#repeat();
    }
  }

  #look(): void {
    this.#asOf = this.#links.changes;
    const ways = this.#links.open().map((link) => this.#peers.get(link));
    const links = ways.includes('links');
    this.#isListening = { links, any: links || ways.includes('redis') };
  }
}
