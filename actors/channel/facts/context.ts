/** Input and output of the rules about facts. */
import type { ChannelFact, Echo, Receipt } from '../../../src/rules/messages/facts.ts';
import type { InboundContext } from '../inbound/receive.ts';
import type { SubjectMessage, UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import type { FactJob, LearnedId } from './state.ts';
import { groupBy } from '../../../src/kernel/group-by.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';

export interface Consequences extends Pick<InboundContext, 'writes' | 'events' | 'received'> {
  again: ChannelFact[];
  confirms: FactJob['confirms'];
  learned: LearnedId[];
  newlyUnmatched: UnmatchedFact[];
  /** Ids of rematched facts whose message is still unknown. */
  stillUnmatched: Set<string>;
}

export interface FactContext extends Consequences, InboundContext {
  index: BatchIndex;
  /** By our id and by upstream's id; the parts of one echo share an upstream id. */
  known: Map<string, SubjectMessage[]>;
  /** Statuses that this round has told, by message: receipts of one conversation cover the same messages. null: it has no such receipt. */
  told: Set<string> | null;
  /** Ids that became known after these facts were looked up, so that `known` may lack them. */
  learnedSince: LearnedId[];
  job: FactJob;
  /** The rematched facts of the job, by id. */
  rematched: ReadonlyMap<string, UnmatchedFact>;
}

/** The messages a fact is about, by our id where upstream returns it. */
export function findKnownMessages({ known }: FactContext, fact: Receipt | Echo): SubjectMessage[] {
  return (fact.tag === null ? undefined : known.get(fact.tag)) ?? known.get(fact.upstreamId) ?? [];
}

/** Indexes of the open sends for one batch of facts. Each is built once per batch, because there may be thousands of them. [faults: 94] */
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
