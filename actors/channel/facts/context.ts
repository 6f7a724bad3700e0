/** What the rules about facts share: what they may look at, and what they answer with. */
import type { ChannelEvent } from '../../../src/domain/events/built.ts';
import type { ChannelFact, Echo, Receipt } from '../../../src/domain/messages/facts.ts';
import type { TurnWrite } from '../messages.ts';
import type { ChannelSettings, PendingInbound, ToldMessage, UnmatchedFact } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import type { Out } from './out.ts';
import type { FactJob, KnownUpstreamId } from './state.ts';

export interface Consequences {
  writes: TurnWrite[];
  events: ChannelEvent[];
  again: ChannelFact[];
  confirms: FactJob['confirms'];
  learned: KnownUpstreamId[];
  waiting: UnmatchedFact[];
  received: PendingInbound[];
  /** Ids of rematched facts that wait on. */
  stillWaiting: Set<string>;
}

export interface FactContext extends Consequences {
  state: ChannelState;
  settings: ChannelSettings;
  out: Out;
  /** By our id and by upstream's, which the parts of one echo share. */
  known: Map<string, ToldMessage[]>;
  /** Deliveries that are on record already. */
  delivered: ReadonlySet<string>;
  /** Learned after these facts were looked up: `known` may lack them. */
  learnedSince: KnownUpstreamId[];
  job: Pick<FactJob, 'reserved' | 'since'>;
  rematched: ReadonlySet<string>;
  now: number;
}

/** The messages a fact is about, by our id where upstream returns it. */
export function messagesOf({ known }: FactContext, fact: Receipt | Echo): ToldMessage[] {
  return (fact.tag === null ? undefined : known.get(fact.tag)) ?? known.get(fact.upstreamId) ?? [];
}
