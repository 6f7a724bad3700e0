import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { InboundJob } from '../inbound/state.ts';
import type { PendingInbound, UnmatchedFact } from '../ports/store.ts';

/** A message upstream has given an id. */
export interface KnownUpstreamId {
  upstreamId: string;
  recipient: string;
  /** Upstream can have said nothing about it before. */
  arrivedAt: number;
}

/** A caller waits until these facts are durable. `dropped`: how many of the caller's facts were not taken. */
export interface FactsAsk {
  ask: number;
  facts: ChannelFact[];
  dropped: number;
  /** When they came. */
  at: number;
}

/** Facts that are being looked up and written; who asked is answered when all are durable. */
export interface FactJob extends InboundJob {
  /** Empty: no caller waits, and upstream would not bring these facts again. */
  asks: readonly FactsAsk[];
  facts: ChannelFact[];
  /** Unmatched facts that this job takes up again: dropped in its commit, unless they must wait on. */
  rematched: UnmatchedFact[];
  /** Takes effect in memory once the commit stands: sends that upstream has confirmed, ids that were learned, facts that
   * wait. */
  confirms: { messageId: string; upstreamId: string }[];
  learned: KnownUpstreamId[];
  waiting: UnmatchedFact[];
  /** Messages that are put on record to wait for their files. */
  received: PendingInbound[];
}

export interface FactsState {
  jobs: SparseMap<number, FactJob>;
  nextJob: number;
  /** The job that what comes meanwhile waits for; null: the next facts start at once. */
  gatheringBehind: number | null;
  /** What has come meanwhile. */
  gathered: FactsAsk[];
  /** Facts whose message is not known yet, by their id. */
  unmatched: SparseMap<string, UnmatchedFact>;
  /** Unmatched facts whose message another owner may have recorded: looked up, a chunk each turn. */
  toRematch: UnmatchedFact[];
  /** Learned in this turn: what waits for them is matched at its end. */
  toMatch: KnownUpstreamId[];
  /** Ids learned while jobs run, with the first job that sees them: a job that looked before must not miss them. */
  knownUpstreamIds: SparseMap<string, KnownUpstreamId & { sinceJob: number }>;
  /** Message → the `timestamp` of its last status event, of the latest messages. */
  statusTimes: SparseMap<string, number>;
}

export function newFacts(nextJob: number): FactsState {
  return {
    jobs: new SparseMap(),
    nextJob,
    gatheringBehind: null,
    gathered: [],
    unmatched: new SparseMap(),
    toRematch: [],
    toMatch: [],
    knownUpstreamIds: new SparseMap(),
    statusTimes: new SparseMap(),
  };
}

/** Facts that waited for an earlier owner, or in the store alone: their messages can be on record by now. */
export function reopenUnmatched(
  { unmatched, toRematch }: FactsState,
  waiting: readonly UnmatchedFact[],
): void {
  for (const each of waiting) {
    if (unmatched.has(each.id)) continue;
    unmatched.set(each.id, each);
    toRematch.push(each);
  }
}
