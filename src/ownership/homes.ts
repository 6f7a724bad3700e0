/**
 * Where channels went that followed their sends: those that came to this node are at home here, whatever placement says, and those that it
 * gave away are another node's until that had time to claim them. A hint only: the store decides who owns a channel. [architecture §4]
 */
import type { Clock } from '../kernel/clock.ts';
import { lruCache } from '../kernel/lru-cache.ts';

const maxRemembered = 100_000;
/** Longer than it takes to claim a channel: for so long the node that gave it refuses it, and the store may still name that node. */
const givenMs = 5_000;

/** `to`: the incarnation; null: placement decides again. `at`: monotonic ms. */
interface Move {
  to: string | null;
  at: number;
}

export class Homes {
  readonly #self: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #moves = lruCache<Move>(maxRemembered);

  constructor({ self, clock }: { self: { incarnation: string }; clock: Pick<Clock, 'monotonic'> }) {
    this.#self = self.incarnation;
    this.#clock = clock;
  }

  /** The incarnation at which the channel is at home, this one or another; undefined: placement decides. */
  of(channelId: string): string | undefined {
    return this.isHere(channelId) ? this.#self : this.givenTo(channelId);
  }

  isHere(channelId: string): boolean {
    return this.#moves.get(channelId)?.to === this.#self;
  }

  /** The other node that was given the channel just now. */
  givenTo(channelId: string): string | undefined {
    const move = this.#moves.get(channelId);
    if (move === undefined || move.to === null || move.to === this.#self) return undefined;
    return this.hasMovedWithin(channelId, givenMs) ? move.to : undefined;
  }

  hasMovedWithin(channelId: string, ms: number): boolean {
    const at = this.#moves.get(channelId)?.at;
    return at !== undefined && this.#clock.monotonic() - at < ms;
  }

  /** Another node gave the channel to this one. */
  settle(channelId: string): void {
    this.#moves.set(channelId, { to: this.#self, at: this.#clock.monotonic() });
  }

  give(channelId: string, to: string): void {
    this.#moves.set(channelId, { to, at: this.#clock.monotonic() });
  }

  /** The channel is not at home here any more, unless it came just now. */
  leave(channelId: string): void {
    const move = this.#moves.get(channelId);
    if (move?.to === this.#self && !this.hasMovedWithin(channelId, givenMs)) move.to = null;
  }
}
