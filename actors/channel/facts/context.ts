/** What the rules about facts share: what they may look at, and what they answer with. */
import type { BuiltEvent } from '../../../src/domain/events/built.ts';
import type { ChannelFact, ConversationReceipt, Echo, Receipt } from '../../../src/domain/messages/facts.ts';
import type { TurnWrite } from '../effects.ts';
import type { ChannelSettings, KnownMessage, UnmatchedFact } from '../ports.ts';
import type { ChannelState } from '../state.ts';
import type { FactJob, KnownUpstreamId } from './state.ts';
import { holding, patienceEndsAt, pointOf } from './unmatched.ts';

export interface Consequences {
  writes: TurnWrite[];
  events: BuiltEvent[];
  again: ChannelFact[];
  confirms: FactJob['confirms'];
  named: KnownUpstreamId[];
  holds: UnmatchedFact[];
  /** Ids of joined facts that stay held. */
  keeps: Set<string>;
}

export interface FactContext extends Consequences {
  state: ChannelState;
  settings: ChannelSettings;
  known: Map<string, KnownMessage>;
  /** Named after these facts were looked up: `known` may lack them. */
  namedSince: KnownUpstreamId[];
  joined: ReadonlySet<string>;
  now: number;
}

/** False when the fact was held before and its patience is over: it must be decided now. */
export function hold(context: FactContext, fact: Receipt | ConversationReceipt | Echo): boolean {
  const { state, joined, keeps, holds, writes, now } = context;
  const unmatched = holding(state.channelId, fact, now);
  const standing = state.facts.unmatched.get(unmatched.id);
  if (joined.has(unmatched.id)) {
    if (standing === undefined || patienceEndsAt(standing) <= now) return false;
    keeps.add(unmatched.id);
  } else if (standing === undefined || pointOf(standing.fact) < pointOf(fact)) {
    holds.push(unmatched);
    writes.push({ write: 'keepUnmatched', unmatched });
  }
  return true;
}

export function some<T>(items: Iterable<T>, test: (item: T) => boolean): boolean {
  for (const item of items) if (test(item)) return true;
  return false;
}
