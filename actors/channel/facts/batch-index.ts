/**
 * Indexes of the open sends for one batch of facts. Each is built once per batch, because there may be thousands of them. [faults: 94]
 */
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';

export class BatchIndex {
  readonly #state: ChannelState;
  #sends: SparseMap<string, OpenSend[]> | null = null;
  #upstreamIds: Set<string | null> | null = null;

  constructor(state: ChannelState) {
    this.#state = state;
  }

  /** Unfinished sends to this recipient. */
  sendsTo(recipient: string): readonly OpenSend[] {
    this.#sends ??= groupedByRecipient(this.#state.sends.open.values());
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

function groupedByRecipient(sends: Iterable<OpenSend>): SparseMap<string, OpenSend[]> {
  const groups = new SparseMap<string, OpenSend[]>();
  for (const send of sends) {
    const others = groups.get(send.recipient);
    if (others === undefined) groups.set(send.recipient, [send]);
    else others.push(send);
  }
  return groups;
}
