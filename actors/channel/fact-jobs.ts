/**
 * The way of a batch of upstream facts: look up the messages they are about → decide what follows (`receipts.ts`) → one
 * durable commit → only then take effect in memory and answer the asker. A conversation receipt that covers more messages
 * than one chunk goes round again. [architecture §6.1]
 */
import { rankOf } from '../../src/domain/messages/index.ts';
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { ChannelEffect, ConversationQuery } from './effects.ts';
import type { ChannelNews, FactsTaken } from './messages.ts';
import { remember } from './holding.ts';
import { consequences } from './receipts.ts';
import { releaseLine } from './send-queue.ts';
import type { ChannelState, FactJob } from './state.ts';

type Resolved = Extract<ChannelNews, { type: 'facts-resolved' }>;

/** Takes up `facts`; `ask` is answered when they are durable, `joined` names the held facts among them. */
export function startJob(
  state: ChannelState,
  ask: number | null,
  facts: ChannelFact[],
  joined: string[],
  now: number,
): ChannelEffect[] {
  const id = state.nextJob;
  state.nextJob += 1;
  const job: FactJob = { ask, taken: facts.length, facts, joined, confirms: [], holds: [] };
  state.jobs.set(id, job);
  return lookUp(state, id, job, now);
}

function lookUp(state: ChannelState, id: number, job: FactJob, now: number): ChannelEffect[] {
  const query = queryOf(job.facts);
  if (query.ids.length + query.upstreamIds.length + query.conversations.length === 0) {
    return onFactsResolved(state, { type: 'facts-resolved', job: id, known: [], conversations: [] }, now);
  }
  return [{ effect: 'resolve-facts', job: id, ...query }];
}

function queryOf(facts: readonly ChannelFact[]): {
  ids: string[];
  upstreamIds: string[];
  conversations: ConversationQuery[];
} {
  const ids: string[] = [];
  const upstreamIds: string[] = [];
  const conversations: ConversationQuery[] = [];
  for (const fact of facts) {
    if (fact.kind === 'inbound') continue;
    if (fact.kind === 'conversation-receipt') {
      const { recipient, upTo, upToUpstreamId, at, status } = fact;
      conversations.push({ recipient, belowRank: rankOf(status), upTo, upToUpstreamId, at });
      continue;
    }
    if (fact.tag !== null) ids.push(fact.tag);
    upstreamIds.push(fact.upstreamId);
  }
  return { ids, upstreamIds, conversations };
}

export function onFactsResolved(state: ChannelState, news: Resolved, now: number): ChannelEffect[] {
  const job = state.jobs.get(news.job);
  if (job === undefined || state.settings === null) return onFactsFailed(state, news.job);
  const { writes, events, again, confirms, holds } = consequences(state, state.settings, job, news, now);
  job.confirms = confirms;
  job.holds = holds;
  if (job.joined.length > 0) writes.push({ write: 'dropHeld', heldIds: job.joined });
  return [
    {
      effect: 'commit-facts',
      job: news.job,
      writes,
      events,
      settings: state.settings,
      again,
      insist: job.ask === null,
    },
  ];
}

export function onFactsCommitted(
  state: ChannelState,
  { job: id, again }: Extract<ChannelNews, { type: 'facts-committed' }>,
  now: number,
): ChannelEffect[] {
  const job = state.jobs.get(id);
  if (job === undefined) return [];
  for (const held of job.joined) state.held.delete(held);
  for (const held of job.holds) remember(state, held);
  const effects = job.confirms.flatMap((messageId) => confirmSend(state, messageId, now));
  if (again.length > 0) {
    Object.assign(job, { facts: again, joined: [], confirms: [], holds: [] } satisfies Partial<FactJob>);
    return [...effects, ...lookUp(state, id, job, now)];
  }
  state.jobs.delete(id);
  const taken: FactsTaken = { taken: job.taken, dropped: 0 };
  return job.ask === null ? effects : [...effects, { effect: 'reply', ask: job.ask, reply: taken }];
}

/** Could not be looked up or written: 503, upstream redelivers. */
export function onFactsFailed(state: ChannelState, id: number): ChannelEffect[] {
  const job = state.jobs.get(id);
  if (job === undefined) return [];
  state.jobs.delete(id);
  return job.ask === null ? [] : [{ effect: 'refuse', ask: job.ask, code: 'unavailable', facts: {} }];
}

/** Upstream named our id in an event, and that is on record: no copy is due any more, and who waits may know. */
function confirmSend(state: ChannelState, messageId: string, now: number): ChannelEffect[] {
  const send = state.sends.get(messageId);
  if (send === undefined || send.stage === 'waiting') return [];
  const effects: ChannelEffect[] = [];
  if (send.ask !== null) effects.push({ effect: 'reply', ask: send.ask, reply: { status: 'sent' } });
  send.ask = null;
  send.confirmed = true;
  if (send.stage !== 'calling') state.sends.delete(messageId);
  effects.push(...releaseLine(state, send, now));
  return effects;
}
