/** How a batch of facts begins: it gets its job, places for what will wait, and the question that the store is asked. */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { rankOf } from '../../../src/domain/messages/message.ts';
import type { ChannelEffect } from '../messages.ts';
import type { ConversationQuery, NamedMessage } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { makeFirstDeliveryId, hasFilesFor } from '../inbound/files.ts';
import { lastDueAt, reservePlaces } from '../inbound/receive.ts';
import type { FactJob } from './state.ts';

type LookUp = Extract<ChannelEffect, { effect: 'resolve-facts' }>;

/** Never added to: what a job comes to is put in its place whole. */
const none: never[] = [];

/** A new job and its number. `asks` are answered when `facts` are durable; `rematched` names the ones that have waited. */
export function newJob(
  state: ChannelState,
  { asks, facts, rematched }: Pick<FactJob, 'asks' | 'facts' | 'rematched'>,
): { id: number; job: FactJob } {
  const { facts: room } = state;
  const id = room.nextJob;
  room.nextJob += 1;
  // Each member in its place and none put in later: a busy node makes one for every post. [performance §4]
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
  room.jobs.set(id, job);
  return { id, job };
}

/** Begins a round of the job. null: nothing has to be looked up. */
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
