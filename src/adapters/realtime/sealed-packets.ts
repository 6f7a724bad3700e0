/**
 * What the live feeds of two nodes say to each other, so that Redis neither reads nor forges it: sealed under ENCRYPTION_KEYS, bound
 * to the channel of Redis it is published on, and heard once. A sender counts its packets. What a sender said before this node knew
 * the sender is refused by its age, which is why the clocks of two nodes may differ by minutes and not by more. [faults: 120]
 */
import { LRUCache } from 'lru-cache';
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newSecret } from '../../kernel/ids.ts';

const maxAgeMs = 5 * 60_000;
/** A sender is one run of a node. */
const maxSenders = 10_000;
/** Far above any event: what is longer is not worth the work of opening it. */
const maxBytes = 4 * 2 ** 20;

/** What one node's adapter tells the others' of an event. */
export interface Said {
  /** The adapter that said it. */
  uid: string;
  data: unknown[];
}

export class SealedPackets {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #self = newSecret(12);
  #said = 0;
  /** Highest count heard, by sender. */
  readonly #heard = new LRUCache<string, number>({ max: maxSenders });

  constructor(sealer: Sealer, clock: Clock) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  seal(channel: string, { uid, data }: Said): Buffer {
    this.#said += 1;
    const packet = JSON.stringify([this.#self, this.#said, this.#clock.now(), uid, data]);
    return Buffer.from(this.#sealer.seal(Buffer.from(packet), sealContext.live(channel)));
  }

  /** null: not said by a node of ours, not on this channel, too old, or heard before. */
  open(channel: string, sealed: Uint8Array): Said | null {
    const packet = this.#opened(channel, sealed);
    if (packet === null) return null;
    const [sender, count, at, uid, data] = packet;
    if (typeof sender !== 'string' || typeof count !== 'number' || typeof at !== 'number') return null;
    if (typeof uid !== 'string' || !Array.isArray(data)) return null;
    if (Math.abs(this.#clock.now() - at) > maxAgeMs) return null;
    if (count <= (this.#heard.get(sender) ?? 0)) return null;
    this.#heard.set(sender, count);
    return { uid, data };
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
