/** How much the channels of one node remember together. [faults: I11, 126] */
import { ofNode } from '../limits.ts';
import type { NodeFull, Remembered } from '../limits.ts';
import type { ChannelState } from '../state.ts';

type Sizes = Readonly<Record<Remembered, number>>;

export const noSizes: Sizes = { sends: 0, deliveries: 0, unmatched: 0, inbound: 0 };

/** How much one channel remembers. */
export function measureSizes(state: ChannelState): Sizes {
  return {
    sends: state.sendsAtWork?.open.size ?? 0,
    deliveries: state.deliveriesAtWork?.open.size ?? 0,
    unmatched: state.factsAtWork?.unmatched.size ?? 0,
    inbound: state.inboundAtWork?.open.size ?? 0,
  };
}

export class NodeTotals {
  readonly #totals: Record<Remembered, number> = { ...noSizes };
  readonly #max: Sizes;
  readonly #full = { sends: false, deliveries: false, unmatched: false, inbound: false };

  /** `max`: overrides the bounds of a node, for tests. */
  constructor(max: Partial<Sizes> = {}) {
    const { sends, deliveries, unmatched, inbound } = ofNode;
    const own = {
      sends: sends.max,
      deliveries: deliveries.max,
      unmatched: unmatched.max,
      inbound: inbound.max,
    };
    this.#max = { ...own, ...max };
  }

  /** One object for all channels; it changes between turns only. */
  get full(): NodeFull {
    return this.#full;
  }

  total(kind: Remembered): number {
    return this.#totals[kind];
  }

  /** Replaces what a channel counted `before` by what it counts `after`. */
  change(before: Sizes, after: Sizes): void {
    this.#add('sends', after.sends - before.sends);
    this.#add('deliveries', after.deliveries - before.deliveries);
    this.#add('unmatched', after.unmatched - before.unmatched);
    this.#add('inbound', after.inbound - before.inbound);
  }

  #add(kind: Remembered, change: number): void {
    if (change === 0) return;
    this.#totals[kind] += change;
    this.#full[kind] = this.#totals[kind] >= this.#max[kind];
  }
}
