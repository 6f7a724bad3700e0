/**
 * Packets between the live feeds of nodes, which Redis can neither read nor forge: sealed with ENCRYPTION_KEYS, bound to their Redis
 * channel, and received once, whichever way they arrive, because a sender counts its packets. Packets from before this node knew the sender
 * can only be rejected by age, so the wall clocks of two nodes may differ by no more than minutes. [faults: 120, 292]
 */
import { sealContext } from '../../kernel/sealed.ts';
import type { Sealer } from '../../kernel/sealed.ts';
import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newSecret } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';

const maxAgeMs = 5 * minuteMs;
/** A sender is one run of a node. */
const maxSenders = 10_000;
/** Missing counts below a sender's highest that may still arrive. */
const maxGaps = 256;
/** Far more than any event: longer packets are not opened. */
const maxBytes = 4 * 2 ** 20;

/** An event as a node's adapter publishes it to other nodes. */
export interface PublishedEvent {
  /** Id of the adapter that published it. */
  uid: string;
  data: unknown[];
}

export class SealedPackets {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #self = newSecret(12);
  #count = 0;
  readonly #senders = lruCache<SeenCounts>(maxSenders);

  constructor(sealer: Sealer, clock: Clock) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  seal(channel: string, { uid, data }: PublishedEvent): Buffer {
    this.#count += 1;
    const packet = JSON.stringify([this.#self, this.#count, this.#clock.wall(), uid, data]);
    return Buffer.from(this.#sealer.seal(Buffer.from(packet), sealContext.live(channel)));
  }

  /**
   * `isOwn`: published by this node. Null if the packet is not from this cluster, belongs to another channel, is too old, or was received
   * before.
   */
  open(channel: string, sealed: Uint8Array): (PublishedEvent & { isOwn: boolean }) | null {
    const packet = this.#opened(channel, sealed);
    if (packet === null) return null;
    const [sender, count, at, uid, data] = packet;
    if (typeof sender !== 'string' || typeof count !== 'number' || typeof at !== 'number') return null;
    if (typeof uid !== 'string' || !Array.isArray(data)) return null;
    if (Math.abs(this.#clock.wall() - at) > maxAgeMs) return null;
    const seen = this.#senders.get(sender) ?? new SeenCounts();
    this.#senders.set(sender, seen);
    return seen.isNew(count) ? { uid, data, isOwn: sender === this.#self } : null;
  }

  #opened(channel: string, sealed: Uint8Array): unknown[] | null {
    if (sealed.length > maxBytes) return null;
    try {
      const plain = this.#sealer.open(sealed, sealContext.live(channel));
      const packet: unknown = JSON.parse(Buffer.from(plain).toString());
      return Array.isArray(packet) ? packet : null;
    } catch {
      return null;
    }
  }
}

/** The counts received from one sender: all up to the highest except the gaps. Packets that travel two ways arrive out of order. */
class SeenCounts {
  #highest = 0;
  readonly #gaps = new Set<number>();

  isNew(count: number): boolean {
    if (count <= this.#highest) return this.#gaps.delete(count);
    // Counts before the first packet seen are no gaps.
    const first = this.#highest === 0 ? count : Math.max(this.#highest + 1, count - maxGaps);
    for (let skipped = first; skipped < count; skipped += 1) this.#gaps.add(skipped);
    for (const oldest of this.#gaps) {
      if (this.#gaps.size <= maxGaps) break;
      this.#gaps.delete(oldest);
    }
    this.#highest = count;
    return true;
  }
}
