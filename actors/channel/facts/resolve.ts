/** The consequences of a batch of facts, once their messages have been looked up. */
import type { EffectResult } from '../messages.ts';
import type { ChannelSettings, SubjectMessage } from '../ports/store.ts';
import { learnedSince } from '../known-ids.ts';
import type { ChannelState } from '../state.ts';
import type { Consequences, FactContext } from './context.ts';
import { takeEcho } from './echoes.ts';
import { takeInbound } from '../inbound/receive.ts';
import { BatchIndex } from './batch-index.ts';
import { takeConversation, takeReceipt } from './receipts.ts';
import type { FactJob } from './state.ts';

/** Shared by most jobs: a set for each job is a fifth of the garbage of a status. */
const nothing = new Set<string>();

/** `resolved`: the messages found for the facts of `job`, and conversations in the order of its conversation receipts. */
export function consequences(
  state: ChannelState,
  settings: ChannelSettings,
  job: FactJob,
  resolved: Omit<Extract<EffectResult, { type: 'facts-resolved' }>, 'type'>,
  now: number,
): Consequences {
  const context: FactContext = {
    writes: [],
    events: [],
    again: [],
    confirms: [],
    learned: [],
    waiting: [],
    received: [],
    stillWaiting: job.rematched.length === 0 ? nothing : new Set(),
    state,
    settings,
    index: new BatchIndex(state),
    known: byEveryId(resolved.known),
    delivered: resolved.delivered.length === 0 ? nothing : new Set(resolved.delivered),
    learnedSince: learnedSince(state, resolved.job),
    job,
    rematched: job.rematched.length === 0 ? nothing : new Set(job.rematched.map(({ id }) => id)),
    now,
  };
  let conversation = 0;
  for (const fact of job.facts) {
    if (fact.kind === 'inbound') takeInbound(context, fact);
    else if (fact.kind === 'receipt') takeReceipt(context, fact);
    else if (fact.kind === 'echo') takeEcho(context, fact);
    else {
      takeConversation(context, fact, resolved.conversations[conversation] ?? []);
      conversation += 1;
    }
  }
  return context;
}

function byEveryId(messages: readonly SubjectMessage[]): Map<string, SubjectMessage[]> {
  const known = new Map<string, SubjectMessage[]>();
  for (const message of messages) {
    for (const id of [message.id, ...message.upstreamIds]) {
      const others = known.get(id);
      if (others === undefined) known.set(id, [message]);
      else others.push(message);
    }
  }
  return known;
}
