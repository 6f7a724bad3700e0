/**
 * The publishing client of socket.io's Redis adapter. While Redis answers it publishes by Redis, and over the links to peers that Redis
 * does not reach. While Redis does not answer it publishes everything over the links, and one event per second also by Redis as a probe. A
 * packet that arrives both ways is received once.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { PublishedEvent, SealedPackets } from './sealed-packets.ts';

/** The node-to-node links as the feed uses them: a way to publish without Redis. */
export interface FeedLinks {
  /** Tells all present and future peers that this node has subscribers, and which way reaches them. */
  subscribe(way: 'redis' | 'links'): void;
  /** Whether a peer has subscribers; `links`: and is reached by the links only. */
  hasSubscribers(by: 'any' | 'links'): boolean;
  /**
   * Publishes to peers with subscribers; `links`: to those that Redis does not reach. Drops the packet for a peer that reads too slowly.
   */
  publish(by: 'any' | 'links', channel: string, packet: Uint8Array): void;
  /** Calls `repeat` when a peer reports that it has subscribers and is not reached by Redis. */
  onPeerWithoutRedis(repeat: () => void): void;
  /** Calls `listener` with each packet that a peer publishes. */
  onEvent(listener: (channel: string, packet: Uint8Array) => void): void;
}

/** Prefix of the events' channels, `#/live#<account>#`, and of the adapter's own. */
export const channelPrefix = 'trunkline:live';
export const eventChannels = `${channelPrefix}#/live#`;

export function channelOf(accountId: string): string {
  return `${eventChannels}${accountId}#`;
}

/**
 * Pause after a publish that reached no subscriber, and after the one that asks again: the cost of a feed that nobody uses. A peer tells over
 * its link that it has subscribers, which ends the pause; one without a link is found by Redis alone.
 */
const noSubscribersMs = 1_000;
const probeMs = 1_000;
/** Packets published and not acknowledged; about 1 KB each. */
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
  #foundNone = false;
  #noSubscribersUntil = 0;
  #probeAt = 0;

  constructor(parts: PubClientParts) {
    this.#parts = parts;
    // Runs before the next packet is published to that peer, so the order is kept.
    parts.links.onPeerWithoutRedis(() => this.#repeat('links'));
  }

  /** False if there were no subscribers recently. */
  hasSubscribers(): boolean {
    const { clock, links } = this.#parts;
    if (links.hasSubscribers('any')) return true;
    return clock.monotonic() >= (this.#isAnswered ? this.#noSubscribersUntil : this.#probeAt);
  }

  publish(channel: string, event: PublishedEvent): void {
    const { packets, links, clock } = this.#parts;
    const packet = { channel, bytes: packets.seal(channel, event) };
    links.publish(this.#isAnswered ? 'links' : 'any', channel, packet.bytes);
    if (this.#isAnswered) {
      if (this.#foundNone) this.#pause(); // or the events until the answer would all be published
      this.#unacknowledged.add(packet);
      this.#publishToRedis(packet);
      if (this.#unacknowledged.size > maxUnacknowledged) this.#failed();
    } else if (clock.monotonic() >= this.#probeAt) {
      this.#probeAt = clock.monotonic() + probeMs;
      this.#publishToRedis(packet);
    }
  }

  /** The `pubClient` of socket.io's adapter. Only events are published to other nodes; the adapter ignores the results. */
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
    this.#parts.redis.publish(packet.channel, Buffer.from(packet.bytes)).then(
      (subscriberCount) => {
        this.#isAnswered = true;
        this.#unacknowledged.delete(packet);
        this.#foundNone = subscriberCount === 0;
        if (this.#foundNone) this.#pause();
        else this.#noSubscribersUntil = 0;
      },
      () => this.#failed(),
    );
  }

  #pause(): void {
    this.#noSubscribersUntil = this.#parts.clock.monotonic() + noSubscribersMs;
  }

  /** It is unknown which of these packets arrived, so all are published again, in order. */
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

/** Parses `[uid, { data }, …]`, the form in which the adapter publishes an event. Null for a request of the adapter, which is text. */
function parsePacket(packet: unknown): PublishedEvent | null {
  if (!Array.isArray(packet)) return null;
  const [uid, event]: unknown[] = packet;
  if (typeof uid !== 'string' || typeof event !== 'object' || event === null || !('data' in event))
    return null;
  return Array.isArray(event.data) ? { uid, data: event.data } : null;
}
