/**
 * A batch of facts from begin to end. It begins with its job, places for the messages that will wait, and the query for the store; its
 * results take effect in memory once they are stored, or are undone.
 */
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { rankOf } from '../../../src/rules/messages/message.ts';
import type {
  ConversationQuery,
  NamedMessage,
  UnmatchedFact,
} from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { firstDeliveries, hasFilesFor, fetchFiles, forgetUnkept } from '../inbound/files.ts';
import { lastDueAt, reservePlaces } from '../inbound/receive.ts';
import type { Consequences } from './context.ts';
import type { FactJob, FactsAsk, LearnedId } from './state.ts';
import { forgetLearned, learnedSince, noteLearned } from '../learned-ids.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, OwnedDelivery } from '../messages.ts';
import { confirmSend } from '../sends/confirm.ts';
import { leaveInStore } from '../inbound/backlog.ts';
import { quotedDeliveries } from './quoted.ts';
import { answeredMeanwhile } from './echoes.ts';
import { askForEchoes } from './unproven-echoes.ts';
import { forget, remember, unmatchedFor } from './unmatched.ts';

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
    newlyUnmatched: none,
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
  const { named, conversations, deliveries } = makeQuery(state, job.facts);
  if (named.length + conversations.length + deliveries.length === 0) return null;
  const retry = job.asks.length === 0;
  return { effect: 'resolve-facts', job: id, named, conversations, deliveries, retry };
}

function makeQuery(
  state: ChannelState,
  facts: readonly ChannelFact[],
): Pick<LookUp, 'named' | 'conversations' | 'deliveries'> {
  const named: NamedMessage[] = [];
  const conversations: ConversationQuery[] = [];
  const deliveries: OwnedDelivery[] = [];
  for (const fact of facts) {
    if (fact.kind === 'inbound') {
      if (hasFilesFor(state, fact)) deliveries.push(...firstDeliveries(state, fact));
      const upstreamId = fact.replyTo?.upstreamId;
      if (upstreamId !== undefined) {
        named.push({ id: null, upstreamId });
        deliveries.push(...quotedDeliveries(state, upstreamId));
      }
      continue;
    }
    if (fact.kind === 'person') continue;
    if (fact.kind === 'conversation-receipt') {
      const { recipient, upTo, upToUpstreamId, at, status } = fact;
      conversations.push({ recipient, belowRank: rankOf(status), upTo, upToUpstreamId, at });
      continue;
    }
    named.push({ id: fact.tag, upstreamId: fact.upstreamId });
  }
  return { named, conversations, deliveries };
}

/**
 * Rematched facts without those that wait on, and without a receipt that a later one of its conversation has replaced in the store: to drop
 * it there would erase the later one. [faults: I1]
 */
export function endingAmong(
  { facts: { unmatched } }: ChannelState,
  rematched: readonly UnmatchedFact[],
  { stillUnmatched, again }: Pick<Consequences, 'stillUnmatched' | 'again'>,
): UnmatchedFact[] {
  const undecided = new Set(again);
  const isReplaced = ({ id, fact }: UnmatchedFact): boolean => (unmatched.get(id)?.fact ?? fact) !== fact;
  return rematched.filter(
    (each) => undecided.has(each.fact) || (!stillUnmatched.has(each.id) && !isReplaced(each)),
  );
}

/**
 * Rematched facts that end with this round. Those in `again` stay in the store until their last round: nobody would bring them again after a
 * crash. [faults: I1]
 */
export function decidedAmong(
  rematched: readonly UnmatchedFact[],
  again: readonly ChannelFact[],
): readonly UnmatchedFact[] {
  if (again.length === 0) return rematched;
  const undecided = new Set(again);
  return rematched.filter(({ fact }) => !undecided.has(fact));
}

/** The commit is stored: only now its results take effect in memory. */
export function applyCommitted(
  state: ChannelState,
  id: number,
  job: FactJob,
  again: readonly ChannelFact[],
  now: number,
): ChannelEffect[] {
  const effects = [
    ...settleUnmatched(state, decidedAmong(job.rematched, again), job.newlyUnmatched),
    ...fetchFiles(state, job.received, listUnkept(state, job), now),
  ];
  for (const { messageId, upstreamId } of job.confirms)
    effects.push(...confirmSend(state, messageId, upstreamId, now));
  for (const message of job.learned) noteLearned(state, message);
  if (state.facts.learnedLately.size > 0) state.facts.learnedNow.push(...missedBy(state, id, job));
  if (job.newlyUnmatched.length > 0)
    state.facts.answeredNow.push(...answeredMeanwhile(state, job.newlyUnmatched));
  effects.push(...askForEchoes(state, now));
  return effects;
}

/**
 * Ids that were learned after the look-up and match facts that are newly unmatched with this job. All other unmatched facts were matched when
 * the ids were learned: to match them at the end of each job would make look-ups grow with the square of the jobs under way.
 */
function missedBy(state: ChannelState, id: number, { newlyUnmatched }: FactJob): LearnedId[] {
  if (newlyUnmatched.length === 0) return none;
  const ids = new Set(newlyUnmatched.map((unmatched) => unmatched.id));
  return learnedSince(state, id).filter((message) =>
    unmatchedFor(state, message).some((unmatched) => ids.has(unmatched.id)),
  );
}

/**
 * The receipts of the job concern more messages than one chunk, so those in `again` take another round. Returns the asks all of whose facts
 * are stored.
 */
export function startNextRound(job: FactJob, again: ChannelFact[]): readonly FactsAsk[] {
  if (again.length === 0) return job.asks;
  const next = new Set(again);
  const goesOn = ({ facts }: FactsAsk): boolean => facts.some((fact) => next.has(fact));
  const ended = job.asks.filter((asked) => !goesOn(asked));
  Object.assign(job, {
    asks: job.asks.filter(goesOn),
    facts: again,
    rematched: job.rematched.filter(({ fact }) => next.has(fact)),
    confirms: [],
    learned: [],
    newlyUnmatched: [],
    received: [],
    reserved: [],
    noRoom: null,
  } satisfies Partial<FactJob>);
  return ended;
}

/** Undoes a failed job. `mayBeStored`: its commit may be stored nevertheless, and upstream's redelivery may find the channel inactive. */
export function rollBack(state: ChannelState, job: FactJob, mayBeStored: boolean): void {
  for (const { dueAt } of [...job.received, ...job.newlyUnmatched])
    if (dueAt !== null) leaveInStore(state.inbound.backlog, dueAt - 1);
  forgetUnkept(state, listUnkept(state, job));
  // Its deliveries may be stored. A redelivery of the facts would find them there and not start them, so the store is read again.
  if (mayBeStored) state.deliveries.storeHasMore = true;
}

/** Messages that only this job has reserved: another job may be handling upstream's redelivery. */
function listUnkept({ facts: { jobs } }: ChannelState, job: FactJob): string[] {
  if (job.reserved.length === 0) return job.reserved;
  return job.reserved.filter((id) => !jobs.some((other) => other !== job && other.reserved.includes(id)));
}

export function endJob(state: ChannelState, id: number): void {
  state.facts.jobs.delete(id);
  forgetLearned(state);
}

function settleUnmatched(
  state: ChannelState,
  decided: readonly UnmatchedFact[],
  newlyUnmatched: readonly UnmatchedFact[],
): ChannelEffect[] {
  if (decided.length + newlyUnmatched.length === 0) return [];
  const kept = [
    ...decided.flatMap((unmatched) => forget(state, unmatched) ?? []),
    ...newlyUnmatched.flatMap((unmatched) => remember(state, unmatched) ?? []),
  ];
  if (kept.length === 0) return [];
  return [commitUntilStored(kept.map((unmatched) => ({ write: 'keepWaiting', unmatched })))];
}
