/** How a batch of facts begins: its job, places for the messages that will wait, and the query for the store. */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { rankOf } from '../../../src/domain/messages/message.ts';
import type { ChannelEffect } from '../messages.ts';
import type { ConversationQuery, NamedMessage } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { makeFirstDeliveryId, hasFilesFor } from '../inbound/files.ts';
import { lastDueAt, reservePlaces } from '../inbound/receive.ts';
import type { FactJob } from './state.ts';

type LookUp = Extract<ChannelEffect, { effect: 'resolve-facts' }>;

/** Shared empty array, never appended to: the results of a job replace it as a whole. */
const none: never[] = [];

/** Creates a job and its number. `asks` are answered when `facts` are durable; `rematched` are the unmatched facts among them. */
export function newJob(
  state: ChannelState,
  { asks, facts, rematched }: Pick<FactJob, 'asks' | 'facts' | 'rematched'>,
): { id: number; job: FactJob } {
  const { facts: slice } = state;
  const id = slice.nextJob;
  slice.nextJob += 1;
  // All members in one literal, so that V8 keeps one shape: a busy node makes a job for every POST. [performance §4]
  const job: FactJob = {
    asks,
    facts,
    rematched,
    confirms: none,
    learned: none,
    waiting: none,
    received: none,
    reserved: [],
    noRoom: null,
    since: lastDueAt(state),
  };
  slice.jobs.set(id, job);
  return { id, job };
}

/** Begins a round of the job. Returns null when nothing has to be looked up. */
export function lookUp(state: ChannelState, id: number, job: FactJob, now: number): LookUp | null {
  reservePlaces(state, job, now);
  const { named, conversations, deliveryIds } = makeQuery(state, job.facts);
  if (named.length + conversations.length + deliveryIds.length === 0) return null;
  const retry = job.asks.length === 0;
  return { effect: 'resolve-facts', job: id, named, conversations, deliveryIds, retry };
}

function makeQuery(
  state: ChannelState,
  facts: readonly ChannelFact[],
): Pick<LookUp, 'named' | 'conversations' | 'deliveryIds'> {
  const named: NamedMessage[] = [];
  const conversations: ConversationQuery[] = [];
  const deliveryIds: string[] = [];
  for (const fact of facts) {
    if (fact.kind === 'inbound') {
      if (hasFilesFor(state, fact)) deliveryIds.push(makeFirstDeliveryId(state.channelId, fact));
      continue;
    }
    if (fact.kind === 'conversation-receipt') {
      const { recipient, upTo, upToUpstreamId, at, status } = fact;
      conversations.push({ recipient, belowRank: rankOf(status), upTo, upToUpstreamId, at });
      continue;
    }
    named.push({ id: fact.tag, upstreamId: fact.upstreamId });
  }
  return { named, conversations, deliveryIds };
}
