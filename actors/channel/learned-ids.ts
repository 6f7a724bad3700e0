/**
 * Upstream ids that became known in this turn or while jobs run, and the people whose calls were answered in it. Sends and echoes note them
 * here and start nothing: `decide` matches the unmatched facts that waited for them once, at the end of the turn.
 */
import type { LearnedId } from './facts/state.ts';
import type { ChannelState } from './state.ts';

/** The upstream id of a message is stored. */
export function noteLearned({ facts }: ChannelState, message: LearnedId): void {
  facts.learnedNow.push(message);
  if (facts.jobs.size === 0) return;
  facts.learnedLately.delete(message.upstreamId); // moves it to the end: the oldest come first
  facts.learnedLately.set(message.upstreamId, { ...message, sinceJob: facts.nextJob });
}

/** A call to this person has its answer, or needs none any more: an echo may have waited for it. */
export function noteAnswered({ factsAtWork: facts }: ChannelState, recipient: string): void {
  if (facts !== null && facts.unmatched.size > 0) facts.answeredNow.push(recipient);
}

/** Ids that became known after `job` had looked its messages up. */
export function learnedSince({ facts }: ChannelState, job: number): LearnedId[] {
  return [...facts.learnedLately.values()].filter(({ sinceJob }) => sinceJob > job);
}

/** Forgets the ids that were known before every running job looked its messages up. */
export function forgetLearned({ facts }: ChannelState): void {
  const [oldestJob = Infinity] = facts.jobs.keys();
  for (const [upstreamId, { sinceJob }] of facts.learnedLately) {
    if (sinceJob > oldestJob) return;
    facts.learnedLately.delete(upstreamId);
  }
}
