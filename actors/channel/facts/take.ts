/**
 * The way of a batch of upstream facts: look up the messages they are about (`begin.ts`) → decide what follows
 * (`resolve.ts`) → one durable commit → only then take effect in memory (`end.ts`) and answer the asker. A conversation receipt that covers more messages
 * than one chunk goes round again. [architecture §6.1]
 */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import type { Turn } from '../../runtime/actor.ts';
import { startPosts } from '../deliveries/post.ts';
import { enabledAmong, findRefusal } from '../eligibility.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import type { ChannelSettings } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { emitReady } from '../inbound/files.ts';
import { limits } from '../limits.ts';
import { lookUp, newJob } from './begin.ts';
import type { Consequences } from './context.ts';
import { endJob, goRoundAgain, takeBack, takeEffect } from './end.ts';
import { consequences } from './resolve.ts';
import type { FactJob, FactsAsk } from './state.ts';

type ResolvedFacts = Omit<Extract<EffectResult, { type: 'facts-resolved' }>, 'type'>;

const nothingFound = { known: [], conversations: [], delivered: [] };

/**
 * [spec: SubscriptionInfo] The channel receives only while active and licensed: otherwise nothing is taken, counted, and
 * upstream is still answered 200. Statuses and echoes of what was sent before are facts and are always taken. [faults: 50, 52]
 */
export function onTakeFacts(state: ChannelState, facts: ChannelFact[], { now, ask }: Turn): ChannelEffect[] {
  if (state.settings === null) return ask === null ? [] : [reply(ask, 0, facts.length)];
  const mayReceive = findRefusal(state, now) === null;
  const taken = mayReceive ? facts : facts.filter(isAboutOurs);
  const dropped = facts.length - taken.length;
  if (ask === null)
    return taken.length === 0 ? [] : startJob(state, { asks: [], facts: taken, rematched: [] }, now);
  if (taken.length === 0) return [reply(ask, 0, dropped)];
  return startGathered(state, gather(state, { ask, facts: taken, dropped, at: now }), now);
}

function startGathered(state: ChannelState, asks: readonly FactsAsk[], now: number): ChannelEffect[] {
  if (asks.length === 0) return [];
  const job = state.facts.nextJob;
  const effects = startJob(state, { asks, facts: gatherFacts(asks), rematched: [] }, now);
  gatherBehind(state, job);
  return effects;
}

function gatherFacts(asks: readonly FactsAsk[]): ChannelFact[] {
  const [first] = asks;
  return asks.length === 1 && first !== undefined ? first.facts : asks.flatMap(({ facts }) => facts);
}

/** An echo may confirm a send of ours; somebody else's is dropped by takeEcho. */
function isAboutOurs(fact: ChannelFact): boolean {
  return fact.kind !== 'inbound';
}

function reply(ask: number, taken: number, dropped: number): ChannelEffect {
  return { effect: 'reply', asks: [ask], reply: { taken, dropped } };
}

/** A job that needs no look-up continues at once. */
export function startJob(
  state: ChannelState,
  asked: Pick<FactJob, 'asks' | 'facts' | 'rematched'>,
  now: number,
): ChannelEffect[] {
  const { id, job } = newJob(state, asked);
  return startRound(state, id, job, now);
}

function startRound(state: ChannelState, id: number, job: FactJob, now: number): ChannelEffect[] {
  const question = lookUp(state, id, job, now);
  return question === null ? onFactsResolved(state, { job: id, ...nothingFound }, now) : [question];
}

export function onFactsResolved(state: ChannelState, resolved: ResolvedFacts, now: number): ChannelEffect[] {
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
    writes.push({ write: 'dropWaiting', unmatchedIds: job.rematched.map(({ id }) => id) });
  if (writes.length === 0 && events.length === 0) return committed(state, resolved.job, again, now);
  return [makeCommit(resolved.job, job, found, state.settings)];
}

function makeCommit(
  job: number,
  { asks }: FactJob,
  { writes, events, again }: Consequences,
  settings: ChannelSettings,
): ChannelEffect {
  const deliveries = enabledAmong(settings, events);
  const mayBeStored = deliveries.length > 0;
  return {
    effect: 'commit',
    writes,
    events,
    deliveries,
    settings,
    heardAt: asks[0]?.at ?? null,
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

/** Only now may upstream hear 200. */
function committed(state: ChannelState, id: number, again: ChannelFact[], now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  const effects = takeEffect(state, id, job, now);
  if (again.length > 0) {
    goRoundAgain(job, again);
    return [...effects, ...startRound(state, id, job, now)];
  }
  endJob(state, id);
  for (const { ask, facts, dropped } of job.asks) effects.push(reply(ask, facts.length, dropped));
  return [...effects, ...startGathered(state, gatheredBehind(state, id), now)];
}

/** Could not be looked up or written: each for itself, and what fails alone is 503, upstream redelivers. */
function failed(state: ChannelState, id: number, mayBeStored: boolean, now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  takeBack(state, job, mayBeStored);
  endJob(state, id);
  // A fact that never can be written is in nobody's way.
  const next = job.asks.flatMap((asked) =>
    job.asks.length === 1
      ? [refuse(asked.ask)]
      : startJob(state, { asks: [asked], facts: asked.facts, rematched: [] }, now),
  );
  next.push(...startGathered(state, gatheredBehind(state, id), now));
  return [...next, ...emitReady(state, now), ...startPosts(state, now)];
}

function refuse(ask: number): ChannelEffect {
  return { effect: 'refuse', asks: [ask], code: 'unavailable', details: {} };
}

/**
 * Upstream tells a busy channel's news in many small POSTs. Those that come while one is being looked up and written go together as
 * the next job: one look-up, one turn and one commit for all of them, and each asker hears of its own facts alone.
 * The asks that begin now, as one job: none while a job is under way, unless enough facts have gathered to be worth a job of their
 * own. A receipt of a conversation is a job by itself: it may take many rounds, and no other fact waits for it.
 */
function gather({ facts }: ChannelState, asked: FactsAsk): FactsAsk[] {
  if (goesAlone(asked.facts)) return [asked];
  facts.gathered.push(asked);
  const waits = facts.gatheringBehind !== null && countFacts(facts.gathered) < limits.factsPerJob;
  return waits ? [] : facts.gathered.splice(0);
}

/** The asks that waited for the end of `job`. */
function gatheredBehind({ facts }: ChannelState, job: number): FactsAsk[] {
  if (facts.gatheringBehind !== job) return [];
  facts.gatheringBehind = null;
  return facts.gathered.splice(0);
}

/** What comes next waits for `job`, if that has not ended at once. */
function gatherBehind({ facts }: ChannelState, job: number): void {
  const started = facts.jobs.get(job);
  if (started !== undefined && !goesAlone(started.facts)) facts.gatheringBehind = job;
}

function goesAlone(facts: readonly ChannelFact[]): boolean {
  return facts.some(({ kind }) => kind === 'conversation-receipt');
}

function countFacts(asks: readonly FactsAsk[]): number {
  return asks.reduce((sum, { facts }) => sum + facts.length, 0);
}
