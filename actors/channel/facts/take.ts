/**
 * The way of a batch of upstream facts: look up the messages they are about → decide what follows (`receipts.ts`) → one
 * durable commit → only then take effect in memory and answer the asker. A conversation receipt that covers more messages
 * than one chunk goes round again. [architecture §6.1]
 */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { rankOf } from '../../../src/domain/messages/message.ts';
import type { Turn } from '../../runtime/actor.ts';
import { startPosts } from '../deliveries/post.ts';
import { commitUntilStored } from '../messages.ts';
import type {
  ChannelEffect,
  ConversationQuery,
  NamedMessage,
  EffectResult,
  FactsTaken,
} from '../messages.ts';
import { refusalOf, isEnabled } from '../eligibility.ts';
import { forgetSeenIds, learnedSince, noteUpstreamId } from '../known-ids.ts';
import type { ChannelSettings } from '../ports/store.ts';
import { confirmSend } from '../sends/confirm.ts';
import type { ChannelState } from '../state.ts';
import type { Consequences } from './context.ts';
import { fetchFiles, firstDeliveryOf, forgetUnkept, hasFilesFor, tellReady } from './files.ts';
import { gather, gatherBehind, gatheredBehind } from './gather.ts';
import { leaveInStore } from './backlog.ts';
import { reservePlaces } from './inbound.ts';
import { consequences } from './resolve.ts';
import type { FactJob, FactsAsk } from './state.ts';
import { forget, remember } from './unmatched.ts';

type Resolved = Extract<EffectResult, { type: 'facts-resolved' }>;

/** Never added to: what a job comes to is put in its place whole. */
const none: never[] = [];

/**
 * [spec: SubscriptionInfo] The channel receives only while active and licensed: otherwise nothing is taken, counted, and
 * upstream is still answered 200. Statuses and echoes of what was sent before are facts and are always taken. [faults: 50, 52]
 */
export function onTakeFacts(state: ChannelState, facts: ChannelFact[], { now, ask }: Turn): ChannelEffect[] {
  if (state.settings === null) return ask === null ? [] : [reply(ask, 0, facts.length)];
  const mayReceive = refusalOf(state, now) === null;
  const taken = mayReceive ? facts : facts.filter(isAboutOurs);
  const dropped = facts.length - taken.length;
  if (ask === null)
    return taken.length === 0 ? [] : startJob(state, { asks: [], facts: taken, rematched: [] }, now);
  if (taken.length === 0) return [reply(ask, 0, dropped)];
  return startGathered(state, gather(state, { ask, facts: taken, dropped }), now);
}

function startGathered(state: ChannelState, asks: readonly FactsAsk[], now: number): ChannelEffect[] {
  if (asks.length === 0) return [];
  const job = state.facts.nextJob;
  const effects = startJob(state, { asks, facts: factsOf(asks), rematched: [] }, now);
  gatherBehind(state, job);
  return effects;
}

function factsOf(asks: readonly FactsAsk[]): ChannelFact[] {
  const [first] = asks;
  return asks.length === 1 && first !== undefined ? first.facts : asks.flatMap(({ facts }) => facts);
}

/** An echo may confirm a send of ours; somebody else's is dropped where it is told apart. */
function isAboutOurs(fact: ChannelFact): boolean {
  return fact.kind !== 'inbound';
}

function reply(ask: number, taken: number, dropped: number): ChannelEffect {
  const told: FactsTaken = { taken, dropped };
  return { effect: 'reply', asks: [ask], reply: told };
}

/** Takes up `facts`; `asks` are answered when they are durable, `rematched` names the ones that have waited. */
export function startJob(
  state: ChannelState,
  { asks, facts, rematched }: Pick<FactJob, 'asks' | 'facts' | 'rematched'>,
  now: number,
): ChannelEffect[] {
  const id = state.facts.nextJob;
  state.facts.nextJob += 1;
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
    since: state.facts.backlog.lastDueAt,
  };
  state.facts.jobs.set(id, job);
  return lookUp(state, id, job, now);
}

function lookUp(state: ChannelState, id: number, job: FactJob, now: number): ChannelEffect[] {
  reservePlaces(state, job, now);
  const { named, conversations, deliveryIds } = queryOf(state, job.facts);
  if (named.length + conversations.length + deliveryIds.length === 0) {
    const nothing = { known: [], conversations: [], delivered: [] };
    return onFactsResolved(state, { type: 'facts-resolved', job: id, ...nothing }, now);
  }
  const retry = job.asks.length === 0;
  return [{ effect: 'resolve-facts', job: id, named, conversations, deliveryIds, retry }];
}

function queryOf(
  state: ChannelState,
  facts: readonly ChannelFact[],
): {
  named: NamedMessage[];
  conversations: ConversationQuery[];
  deliveryIds: string[];
} {
  const named: NamedMessage[] = [];
  const conversations: ConversationQuery[] = [];
  const deliveryIds: string[] = [];
  for (const fact of facts) {
    if (fact.kind === 'inbound') {
      if (hasFilesFor(state, fact)) deliveryIds.push(firstDeliveryOf(state.channelId, fact));
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

export function onFactsResolved(state: ChannelState, resolved: Resolved, now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(resolved.job);
  if (job === undefined || state.settings === null) return failed(state, resolved.job, false, now);
  const found = consequences(state, state.settings, job, resolved, now);
  const { writes, events, again, confirms, learned, waiting, received } = found;
  if (job.rematched.length > 0) job.rematched = job.rematched.filter(({ id }) => !found.stillWaiting.has(id));
  job.confirms = confirms;
  job.learned = learned;
  job.waiting = waiting;
  job.received = received;
  if (job.rematched.length > 0)
    writes.push({ write: 'dropUnmatched', unmatchedIds: job.rematched.map(({ id }) => id) });
  if (writes.length === 0 && events.length === 0) return committed(state, resolved.job, again, now);
  return [commitOf(resolved.job, job, found, state.settings)];
}

function commitOf(
  job: number,
  { asks }: FactJob,
  { writes, events, again }: Consequences,
  settings: ChannelSettings,
): ChannelEffect {
  const mayBeStored = events.some(({ event }) => isEnabled(settings, event));
  return {
    effect: 'commit',
    writes,
    events,
    settings,
    reply: null,
    report: { type: 'facts-ended', job, outcome: 'committed', again },
    otherwise: asks.length === 0 ? 'retry' : { type: 'facts-ended', job, outcome: 'failed', mayBeStored },
  };
}

export function onFactsEnded(
  state: ChannelState,
  ended: Extract<EffectResult, { type: 'facts-ended' }>,
  now: number,
): ChannelEffect[] {
  return ended.outcome === 'committed'
    ? committed(state, ended.job, ended.again, now)
    : failed(state, ended.job, ended.mayBeStored, now);
}

/** On record: only now does it take effect in memory, and only now may upstream hear 200. */
function committed(state: ChannelState, id: number, again: ChannelFact[], now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  const effects = [...settleUnmatched(state, job), ...fetchFiles(state, job, now)];
  for (const { messageId, upstreamId } of job.confirms)
    effects.push(...confirmSend(state, messageId, upstreamId, now));
  for (const message of job.learned) noteUpstreamId(state, message);
  // What was learned since it looked is matched with what it lets wait.
  if (state.facts.knownUpstreamIds.size > 0) state.facts.toMatch.push(...learnedSince(state, id));
  if (again.length > 0) {
    const next = {
      facts: again,
      rematched: [],
      confirms: [],
      learned: [],
      waiting: [],
      received: [],
    } satisfies Partial<FactJob>;
    return [...effects, ...lookUp(state, id, Object.assign(job, next), now)];
  }
  endJob(state, id);
  for (const { ask, facts, dropped } of job.asks) effects.push(reply(ask, facts.length, dropped));
  return [...effects, ...startGathered(state, gatheredBehind(state, id), now)];
}

/** Could not be looked up or written: each for itself, and what fails alone is 503, upstream redelivers. */
function failed(state: ChannelState, id: number, mayBeStored: boolean, now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  // They may be on record all the same, and upstream's repetition may find the channel closed: the store is asked.
  for (const { dueAt } of [...job.received, ...job.waiting])
    if (dueAt !== null) leaveInStore(state.facts.backlog, dueAt - 1);
  forgetUnkept(state.facts, job);
  endJob(state, id);
  // Deliveries may be on record all the same; their redelivery would find them there and start nothing.
  if (mayBeStored) state.deliveries.storeHasMore = true;
  // A fact that never can be written is in nobody's way.
  const next = job.asks.flatMap((asked) =>
    job.asks.length === 1
      ? [refuse(asked.ask)]
      : startJob(state, { asks: [asked], facts: asked.facts, rematched: [] }, now),
  );
  next.push(...startGathered(state, gatheredBehind(state, id), now));
  return [...next, ...tellReady(state, now), ...startPosts(state, now)];
}

function refuse(ask: number): ChannelEffect {
  return { effect: 'refuse', asks: [ask], code: 'unavailable', details: {} };
}

function settleUnmatched(state: ChannelState, { rematched, waiting }: FactJob): ChannelEffect[] {
  if (rematched.length + waiting.length === 0) return none;
  const again = [
    ...rematched.flatMap((unmatched) => forget(state, unmatched) ?? []),
    ...waiting.flatMap((unmatched) => remember(state, unmatched) ?? []),
  ];
  if (again.length === 0) return [];
  return [commitUntilStored(again.map((unmatched) => ({ write: 'keepUnmatched', unmatched })))];
}

function endJob(state: ChannelState, id: number): void {
  state.facts.jobs.delete(id);
  forgetSeenIds(state);
}
