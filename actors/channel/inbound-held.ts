/** How many pending messages the channels of one node remember together. [faults: I11] */
import { limits } from './limits.ts';
import type { FactsState } from './facts/state.ts';

type Counted = Pick<FactsState, 'inbound' | 'backlog'>;

export class InboundHeld {
  #held = 0;

  get total(): number {
    return this.#held;
  }

  get isFull(): boolean {
    return this.#held >= limits.inboundOfNode;
  }

  /** After each turn. */
  count({ inbound, backlog }: Counted): void {
    this.#held += inbound.size - backlog.counted;
    backlog.counted = inbound.size;
  }

  forget({ backlog }: Counted): void {
    this.#held -= backlog.counted;
    backlog.counted = 0;
  }
}
