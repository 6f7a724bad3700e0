/**
 * The publishing client of socket.io's Redis adapter: by Redis while Redis answers, and over the links to whom Redis does not reach. While Redis does
 * not answer, all goes over the links, and one event a second asks whether Redis answers again. A packet that goes both ways is received once.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { FeedLinks } from './feed-links.ts';
import type { PublishedEvent, SealedPackets } from './sealed-packets.ts';

/** Below it stand `#/live#<account>#` for events and the adapter's own channels. */
export const channelPrefix = 'trunkline:live';
export const eventChannels = `${channelPrefix}#/live#`;

export function channelOf(accountId: string): string {
  return `${eventChannels}${accountId}#`;
}

/** How long nothing is published after a publish reached no subscriber: what a node pays for a feed that nobody looks at. */
const noSubscribersMs = 100;
const probeMs = 1_000;
/** Published and not acknowledged: 1 KB each. */
const maxUnacknowledged = 4_000;

interface Packet {
  channel: string;
  bytes: Uint8Array;
}

interface PubClientParts {
  redis: Redis;
  packets: SealedPackets;
  links: FeedLinks;
  clock: Clock;
}

export class PubClient {
  readonly #parts: PubClientParts;
  readonly #unacknowledged = new Set<Packet>();
  #isAnswered = true;
  #noSubscribersUntil = 0;
  #probeAt = 0;

  constructor(parts: PubClientParts) {
    this.#parts = parts;
    // Before what is published to that peer next: in order.
    parts.links.onPeerWithoutRedis(() => this.#repeat('links'));
  }

  /** False while there was no subscriber of late. */
  hasSubscribers(): boolean {
    const { clock, links } = this.#parts;
    if (links.hasSubscribers(this.#isAnswered ? 'links' : 'any')) return true;
    return clock.monotonic() >= (this.#isAnswered ? this.#noSubscribersUntil : this.#probeAt);
  }

  publish(channel: string, event: PublishedEvent): void {
    const { packets, links, clock } = this.#parts;
    const packet = { channel, bytes: packets.seal(channel, event) };
    links.publish(this.#isAnswered ? 'links' : 'any', channel, packet.bytes);
    if (this.#isAnswered) {
      this.#unacknowledged.add(packet);
      this.#publishToRedis(packet);
      if (this.#unacknowledged.size > maxUnacknowledged) this.#failed();
    } else if (clock.monotonic() >= this.#probeAt) {
      this.#probeAt = clock.monotonic() + probeMs;
      this.#publishToRedis(packet);
    }
  }

  /** What socket.io's adapter is given as its `pubClient`. Only events are published to other nodes; the adapter looks at no answer. */
  asClient(): object {
    const { redis } = this.#parts;
    return {
      on: redis.on.bind(redis),
      off: redis.off.bind(redis),
      publish: (channel: string, packet: unknown): void => {
        const event = parsePacket(packet);
        if (event !== null && channel.startsWith(eventChannels)) this.publish(channel, event);
      },
    };
  }

  #publishToRedis(packet: Packet): void {
    const { redis, clock } = this.#parts;
    redis.publish(packet.channel, Buffer.from(packet.bytes)).then(
      (subscriberCount) => {
        this.#isAnswered = true;
        this.#unacknowledged.delete(packet);
        if (subscriberCount === 0) this.#noSubscribersUntil = clock.monotonic() + noSubscribersMs;
      },
      () => this.#failed(),
    );
  }

  /** Nobody knows what of this arrived: all of it is published again, in its order. */
  #failed(): void {
    if (!this.#isAnswered) return;
    this.#isAnswered = false;
    this.#probeAt = this.#parts.clock.monotonic() + probeMs;
    this.#repeat('any');
    this.#unacknowledged.clear();
  }

  #repeat(to: 'any' | 'links'): void {
    for (const { channel, bytes } of this.#unacknowledged) this.#parts.links.publish(to, channel, bytes);
  }
}

/** `[uid, { data }, …]`, as the adapter publishes an event; null: a request, which is text. */
function parsePacket(packet: unknown): PublishedEvent | null {
  if (!Array.isArray(packet)) return null;
  const [uid, event]: unknown[] = packet;
  if (typeof uid !== 'string' || typeof event !== 'object' || event === null || !('data' in event))
    return null;
  return Array.isArray(event.data) ? { uid, data: event.data } : null;
}
