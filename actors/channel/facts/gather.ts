/**
 * Upstream tells a busy channel's news in many small POSTs. Those that come while one is being looked up and written go together as
 * the next job: one look-up, one turn and one commit for all of them, and each asker hears of its own facts alone.
 */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { limits } from '../limits.ts';
import type { ChannelState } from '../state.ts';
import type { FactsAsk } from './state.ts';

/**
 * The asks that begin now, as one job: none while a job is under way, unless enough facts have gathered to be worth a job of their
 * own. A receipt of a conversation is a job by itself: it may take many rounds, and no other fact waits for it.
 */
export function gather({ facts }: ChannelState, asked: FactsAsk): FactsAsk[] {
  if (goesAlone(asked.facts)) return [asked];
  facts.gathered.push(asked);
  const waits = facts.gatheringBehind !== null && countFacts(facts.gathered) < limits.factsPerJob;
  return waits ? [] : facts.gathered.splice(0);
}

/** The asks that waited for the end of `job`. */
export function gatheredBehind({ facts }: ChannelState, job: number): FactsAsk[] {
  if (facts.gatheringBehind !== job) return [];
  facts.gatheringBehind = null;
  return facts.gathered.splice(0);
}

/** What comes next waits for `job`, if that has not ended at once. */
export function gatherBehind({ facts }: ChannelState, job: number): void {
  const started = facts.jobs.get(job);
  if (started !== undefined && !goesAlone(started.facts)) facts.gatheringBehind = job;
}

function goesAlone(facts: readonly ChannelFact[]): boolean {
  return facts.some(({ kind }) => kind === 'conversation-receipt');
}

function countFacts(asks: readonly FactsAsk[]): number {
  return asks.reduce((sum, { facts }) => sum + facts.length, 0);
}
