/** Input and output of the rules about facts. */
import type { ChannelFact, Echo, Receipt } from '../../../src/domain/messages/facts.ts';
import type { InboundContext } from '../inbound/receive.ts';
import type { SubjectMessage, UnmatchedFact } from '../ports/store.ts';
import type { BatchIndex } from './batch-index.ts';
import type { FactJob, KnownUpstreamId } from './state.ts';

export interface Consequences extends Pick<InboundContext, 'writes' | 'events' | 'received'> {
  again: ChannelFact[];
  confirms: FactJob['confirms'];
  learned: KnownUpstreamId[];
  waiting: UnmatchedFact[];
  /** Ids of rematched facts that still wait. */
  stillWaiting: Set<string>;
}

export interface FactContext extends Consequences, InboundContext {
  index: BatchIndex;
  /** By our id and by upstream's id; the parts of one echo share an upstream id. */
  known: Map<string, SubjectMessage[]>;
  /** Ids that became known after these facts were looked up, so that `known` may lack them. */
  learnedSince: KnownUpstreamId[];
  rematched: ReadonlySet<string>;
}

/** The messages a fact is about, by our id where upstream returns it. */
export function findKnownMessages({ known }: FactContext, fact: Receipt | Echo): SubjectMessage[] {
  return (fact.tag === null ? undefined : known.get(fact.tag)) ?? known.get(fact.upstreamId) ?? [];
}
