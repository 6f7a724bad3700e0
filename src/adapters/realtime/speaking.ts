/**
 * What this node says to the others: by Redis while it answers, and over the links to whoever does not hear Redis. While Redis does not
 * answer, everybody is told over the links, and one event a second asks whether it answers again. A packet that goes both ways is heard once.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { FeedLinks } from './feed-links.ts';
import type { Said, SealedPackets } from './sealed-packets.ts';

/** Below it stand `#/live#<account>#` for events and the adapter's own channels. */
export const channelPrefix = 'trunkline:live';
export const eventChannels = `${channelPrefix}#/live#`;

export function channelOf(accountId: string): string {
  return `${eventChannels}${accountId}#`;
}

/** How long nobody is spoken to after nobody listened: what a node pays for a feed that nobody looks at. */
const nobodyMs = 100;
const probeMs = 1_000;
/** Said and not answered for: 1 KB each. */
const maxUnanswered = 4_000;

interface Packet {
  channel: string;
  bytes: Uint8Array;
}

interface SpeakingParts {
  redis: Redis;
  packets: SealedPackets;
  links: FeedLinks;
  clock: Clock;
}

export class Speaking {
  readonly #parts: SpeakingParts;
  readonly #unanswered = new Set<Packet>();
  #isAnswered = true;
  #nobodyUntil = 0;
  #probeAt = 0;

  constructor(parts: SpeakingParts) {
    this.#parts = parts;
    // Before what is said to it next: in order.
    parts.links.onUnheard(() => this.#repeat('links'));
  }

  /** False while nobody has listened of late. */
  isHeard(): boolean {
    const { clock, links } = this.#parts;
    if (links.isListening(this.#isAnswered ? 'links' : 'any')) return true;
    return clock.monotonic() >= (this.#isAnswered ? this.#nobodyUntil : this.#probeAt);
  }

  say(channel: string, said: Said): void {
    const { packets, links, clock } = this.#parts;
    const packet = { channel, bytes: packets.seal(channel, said) };
    links.tell(this.#isAnswered ? 'links' : 'any', channel, packet.bytes);
    if (this.#isAnswered) {
      this.#unanswered.add(packet);
      this.#publish(packet);
      if (this.#unanswered.size > maxUnanswered) this.#failed();
    } else if (clock.monotonic() >= this.#probeAt) {
      this.#probeAt = clock.monotonic() + probeMs;
      this.#publish(packet);
    }
  }

  /** As socket.io's adapter speaks. Only events are told to other nodes; it looks at no answer. */
  asClient(): object {
    const { redis } = this.#parts;
    return {
      on: redis.on.bind(redis),
      off: redis.off.bind(redis),
      publish: (channel: string, packet: unknown): void => {
        const said = saidIn(packet);
        if (said !== null && channel.startsWith(eventChannels)) this.say(channel, said);
      },
    };
  }

  #publish(packet: Packet): void {
    const { redis, clock } = this.#parts;
    redis.publish(packet.channel, Buffer.from(packet.bytes)).then(
      (heardBy) => {
        this.#isAnswered = true;
        this.#unanswered.delete(packet);
        if (heardBy === 0) this.#nobodyUntil = clock.monotonic() + nobodyMs;
      },
      () => this.#failed(),
    );
  }

  /** Nobody knows what of this was heard: all of it is said again, in its order. */
  #failed(): void {
    if (!this.#isAnswered) return;
    this.#isAnswered = false;
    this.#probeAt = this.#parts.clock.monotonic() + probeMs;
    this.#repeat('any');
    this.#unanswered.clear();
  }

  #repeat(to: 'any' | 'links'): void {
    for (const { channel, bytes } of this.#unanswered) this.#parts.links.tell(to, channel, bytes);
  }
}

/** `[uid, { data }, …]`, as the adapter tells an event; null: a request, which is text. */
function saidIn(packet: unknown): Said | null {
  if (!Array.isArray(packet)) return null;
  const [uid, event]: unknown[] = packet;
  if (typeof uid !== 'string' || typeof event !== 'object' || event === null || !('data' in event))
    return null;
  return Array.isArray(event.data) ? { uid, data: event.data } : null;
}
