/** How much the channels of one node remember together. [faults: I11, 126] */
import { ofNode } from './limits.ts';
import type { NodeFull, Remembered } from './limits.ts';
import type { ChannelState } from './state.ts';

export class NodeHeld {
  readonly #held: Record<Remembered, number> = { sends: 0, deliveries: 0, unmatched: 0, inbound: 0 };
  readonly #max: Readonly<Record<Remembered, number>>;
  readonly #full = { sends: false, deliveries: false, unmatched: false, inbound: false };

  /** `max`: others than a node's own, for tests. */
  constructor(max: Partial<Record<Remembered, number>> = {}) {
    const { sends, deliveries, unmatched, inbound } = ofNode;
    const own = {
      sends: sends.max,
      deliveries: deliveries.max,
      unmatched: unmatched.max,
      inbound: inbound.max,
    };
    this.#max = { ...own, ...max };
  }

  /** One object for all channels: it changes between turns. */
  get full(): NodeFull {
    return this.#full;
  }

  held(kind: Remembered): number {
    return this.#held[kind];
  }

  /** After each turn. */
  count(state: ChannelState): void {
    const { sendsAtWork: sends, deliveriesAtWork: deliveries, factsAtWork: facts } = state;
    const { inboundAtWork: inbound } = state;
    if (sends !== null) {
      this.#add('sends', sends.open.size - sends.counted);
      sends.counted = sends.open.size;
    }
    if (deliveries !== null) {
      this.#add('deliveries', deliveries.open.size - deliveries.counted);
      deliveries.counted = deliveries.open.size;
    }
    if (facts !== null) {
      this.#add('unmatched', facts.unmatched.size - facts.counted);
      facts.counted = facts.unmatched.size;
    }
    if (inbound !== null) {
      this.#add('inbound', inbound.open.size - inbound.counted);
      inbound.counted = inbound.open.size;
    }
  }

  forget(state: ChannelState): void {
    const { sendsAtWork: sends, deliveriesAtWork: deliveries, factsAtWork: facts } = state;
    const { inboundAtWork: inbound } = state;
    if (sends !== null) {
      this.#add('sends', -sends.counted);
      sends.counted = 0;
    }
    if (deliveries !== null) {
      this.#add('deliveries', -deliveries.counted);
      deliveries.counted = 0;
    }
    if (facts !== null) {
      this.#add('unmatched', -facts.counted);
      facts.counted = 0;
    }
    if (inbound !== null) {
      this.#add('inbound', -inbound.counted);
      inbound.counted = 0;
    }
  }

  #add(kind: Remembered, change: number): void {
    if (change === 0) return;
    this.#held[kind] += change;
    this.#full[kind] = this.#held[kind] >= this.#max[kind];
  }
}
