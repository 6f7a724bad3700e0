import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { InboundJob } from '../inbound/state.ts';
import type { PendingInbound, UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';

/** A message and the upstream id that it has got. */
export interface LearnedId {
  upstreamId: string;
  recipient: string;
  /** Upstream can't report anything about the message before this time (ms). */
  arrivedAt: number;
}

/** A caller that waits until these facts are durable. `dropped`: number of the caller's facts that were not taken. */
export interface FactsAsk {
  ask: number;
  facts: ChannelFact[];
  dropped: number;
  /** Time of arrival, in ms. */
  at: number;
}

/** Facts that are being looked up and written; the callers are answered when all of them are durable. */
export interface FactJob extends InboundJob {
  /** Empty: no caller waits, and nobody would bring these facts again. */
  asks: readonly FactsAsk[];
  facts: ChannelFact[];
  /** Unmatched facts that this job processes again: the commit of their last round drops them unless they still have to wait. */
  rematched: UnmatchedFact[];
  /** Results that take effect in memory once the commit is stored: sends that upstream has confirmed, new upstream ids, facts that begin to wait. */
  confirms: { messageId: string; upstreamId: string }[];
  learned: LearnedId[];
  newlyUnmatched: UnmatchedFact[];
  /** Messages that are stored to wait for their files. */
  received: PendingInbound[];
}

/** Whether the number has echoes; asked of upstream because of these echoes, by the id of the unmatched fact. */
export interface OpenQuestion {
  /** `proven`: upstream said so, and it is told although the profile says that the number has none. */
  echoes: Map<string, 'unproven' | 'proven'>;
  /** Upstream is being asked. */
  isAsked: boolean;
  /** Calls without an answer, and when the next may be made. */
  tries: number;
  askAt: number;
}

export interface FactsState {
  jobs: SparseMap<number, FactJob>;
  nextJob: number;
  /** The job whose end the next facts wait for; null: the next facts start at once. */
  gatheringBehind: number | null;
  /** The asks that wait for it. */
  gathered: FactsAsk[];
  /** POSTs with a conversation receipt that would overtake a lower status, in order. One of the jobs ends before the first can begin. */
  held: FactsAsk[];
  /** Facts whose message is not known yet, by the id of the fact. */
  unmatched: SparseMap<string, UnmatchedFact>;
  /** Unmatched facts whose message another owner may have stored: looked up in chunks, one per turn. */
  toRematch: UnmatchedFact[];
  /** Ids learned in this turn: their unmatched facts are matched at its end. */
  learnedNow: LearnedId[];
  /** People a call to whom has ended in this turn: echoes that waited for its answer are decided at its end. */
  answeredNow: string[];
  /** Ids learned while jobs run, with the first job that sees them in its look-up: the jobs before it need them from here. */
  learnedLately: SparseMap<string, LearnedId & { sinceJob: number }>;
  /** Echoes of a number that may have none: see `unproven-echoes.ts`. null: none. */
  question: OpenQuestion | null;
  /** Message id → `timestamp` of its last status event, for the latest messages. */
  statusTimes: SparseMap<string, number>;
}

export function newFacts(nextJob: number): FactsState {
  return {
    jobs: new SparseMap(),
    nextJob,
    gatheringBehind: null,
    gathered: [],
    held: [],
    unmatched: new SparseMap(),
    toRematch: [],
    learnedNow: [],
    answeredNow: [],
    learnedLately: new SparseMap(),
    question: null,
    statusTimes: new SparseMap(),
  };
}

export function openQuestion(facts: FactsState): OpenQuestion {
  return (facts.question ??= { echoes: new Map(), isAsked: false, tries: 0, askAt: 0 });
}

/** This echo has ended: it is told, or was found to be our own. */
export function endProof(facts: FactsState, id: string): void {
  facts.question?.echoes.delete(id);
  endQuestion(facts);
}

export function endQuestion(facts: FactsState): void {
  const { question } = facts;
  if (question !== null && !question.isAsked && question.echoes.size === 0) facts.question = null;
}

/** Facts left by an earlier owner, or held by the store only: their messages may be stored by now. */
export function reopenUnmatched(
  { unmatched, toRematch }: FactsState,
  stored: readonly UnmatchedFact[],
): void {
  for (const each of stored) {
    if (unmatched.has(each.id)) continue;
    unmatched.set(each.id, each);
    toRematch.push(each);
  }
}
