/**
 * Processing of a batch of upstream facts: look up their messages (`job.ts`) → decide the consequences (`resolve.ts`) → one durable
 * commit → only then apply them in memory (`job.ts`) and answer the callers. Receipts that concern more messages than one chunk take more
 * rounds. [architecture §6.1]
 */
import { isOfPerson } from '../../../src/rules/messages/facts.ts';
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import type { Turn } from '../../runtime/actor.ts';
import { startPosts } from '../deliveries/post.ts';
import { enabledAmong, findRefusal } from '../eligibility.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { emitReady } from '../inbound/files.ts';
import {
  lookUp,
  newJob,
  endJob,
  startNextRound,
  rollBack,
  applyCommitted,
  decidedAmong,
  endingAmong,
} from './job.ts';
import type { Consequences } from './context.ts';
import { gather, gatherBehind, gatheredBehind, hasUnboundedRounds } from './gathering.ts';
import { noteNames } from './names.ts';
import { consequences } from './resolve.ts';
import { wouldOvertake } from './overtaking.ts';
import type { FactJob, FactsAsk } from './state.ts';

type ResolvedFacts = Omit<Extract<EffectResult, { type: 'facts-resolved' }>, 'type'>;

const nothingFound = { known: [], conversations: [], delivered: [] };

/**
 * [spec: SubscriptionInfo] The channel receives only while active and licensed; otherwise its inbound messages are counted and dropped, and
 * upstream still gets 200. Statuses and echoes of earlier sends are facts and always taken. [faults: 50, 52]
 */
export function onTakeFacts(state: ChannelState, facts: ChannelFact[], { now, ask }: Turn): ChannelEffect[] {
  if (state.settings === null) return ask === null ? [] : [reply(ask, 0, facts.length)];
  const mayReceive = findRefusal(state, now) === null;
  const taken = mayReceive ? facts : facts.filter((fact) => !isOfPerson(fact));
  const dropped = facts.length - taken.length;
  noteNames(state, taken);
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

function reply(ask: number, taken: number, dropped: number): ChannelEffect {
  return { effect: 'reply', asks: [ask], reply: { taken, dropped } };
}

/** Starts a job; without a look-up it is decided at once. */
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
  const { writes, events, again, confirms, learned, newlyUnmatched, received } = found;
  if (job.rematched.length > 0) job.rematched = endingAmong(state, job.rematched, found);
  job.confirms = confirms;
  job.learned = learned;
  job.newlyUnmatched = newlyUnmatched;
  job.received = received;
  const decided = decidedAmong(job.rematched, again);
  if (decided.length > 0) writes.push({ write: 'dropWaiting', unmatchedIds: decided.map(({ id }) => id) });
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
    arrivedAt: asks[0]?.at ?? null,
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

/** The commit is stored: only now may upstream get 200. */
function committed(state: ChannelState, id: number, again: ChannelFact[], now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  const effects = applyCommitted(state, id, job, again, now);
  for (const { ask, facts, dropped } of startNextRound(job, again))
    effects.push(reply(ask, facts.length, dropped));
  if (again.length === 0) endJob(state, id);
  else effects.push(...startRound(state, id, job, now));
  // The rest of a long conversation goes on beside the facts that came later.
  const behind = again.length === 0 || hasUnboundedRounds(again) ? gatheredBehind(state, id) : [];
  return [...effects, ...startGathered(state, behind, now), ...startHeld(state, now)];
}

/**
 * The look-up or the commit failed. Each ask is tried again as a job of its own; an ask that fails alone gets 503, and upstream redelivers.
 */
function failed(state: ChannelState, id: number, mayBeStored: boolean, now: number): ChannelEffect[] {
  const job = state.facts.jobs.get(id);
  if (job === undefined) return [];
  rollBack(state, job, mayBeStored);
  endJob(state, id);
  // So a fact that can never be written fails only its own ask.
  const next = job.asks.flatMap((asked) =>
    job.asks.length === 1
      ? [refuse(asked.ask)]
      : startJob(state, { asks: [asked], facts: asked.facts, rematched: [] }, now),
  );
  next.push(...startGathered(state, gatheredBehind(state, id), now), ...startHeld(state, now));
  return [...next, ...emitReady(state, now), ...startPosts(state, now)];
}

function refuse(ask: number): ChannelEffect {
  return { effect: 'refuse', asks: [ask], code: 'unavailable', details: {} };
}

/** Begins POSTs with conversation receipts that would overtake nothing any more. */
function startHeld(state: ChannelState, now: number): ChannelEffect[] {
  const { facts } = state;
  const effects: ChannelEffect[] = [];
  for (let [first] = facts.held; first !== undefined && !wouldOvertake(facts, first); [first] = facts.held) {
    facts.held.shift();
    effects.push(...startGathered(state, [first], now));
  }
  return effects;
}
