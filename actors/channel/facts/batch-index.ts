/**
 * Indexes of the open sends for one batch of facts. Each is built once per batch, because there may be thousands of them. [faults: 94]
 */
import { groupBy } from '../../../src/kernel/group-by.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';

export class BatchIndex {
  readonly #state: ChannelState;
  #sends: Map<string, OpenSend[]> | null = null;
  #upstreamIds: Set<string | null> | null = null;

  constructor(state: ChannelState) {
    this.#state = state;
  }

  /** Unfinished sends to this recipient. */
  sendsTo(recipient: string): readonly OpenSend[] {
    this.#sends ??= groupBy(this.#state.sends.open.values(), (send) => send.recipient);
    return this.#sends.get(recipient) ?? [];
  }

  /** True when upstream has answered one of the open sends with this id. */
  isAnswered(upstreamId: string): boolean {
    this.#upstreamIds ??= answeredIds(this.#state);
    return this.#upstreamIds.has(upstreamId);
  }
}

function answeredIds({ sends }: ChannelState): Set<string | null> {
  const ids = new Set<string | null>();
  for (const { upstreamId } of sends.open.values()) ids.add(upstreamId);
  return ids;
}
