/**
 * Upstream ids that messages have got in this turn, and while jobs run. Sends and echoes note them here and start nothing:
 * `decide` matches what waits for them once, at the end of the turn.
 */
import type { KnownUpstreamId } from './facts/state.ts';
import type { ChannelState } from './state.ts';

/** Upstream's id of a message is on record. */
export function noteUpstreamId({ facts }: ChannelState, message: KnownUpstreamId): void {
  facts.toMatch.push(message);
  if (facts.jobs.size === 0) return;
  facts.knownUpstreamIds.delete(message.upstreamId); // to the end: the oldest are first
  facts.knownUpstreamIds.set(message.upstreamId, { ...message, sinceJob: facts.nextJob });
}

/** What `job` has looked up too early to find. */
export function learnedSince({ facts }: ChannelState, job: number): KnownUpstreamId[] {
  const since: KnownUpstreamId[] = [];
  for (const known of facts.knownUpstreamIds.values()) if (known.sinceJob > job) since.push(known);
  return since;
}

/** Forgets the ids that every running job has been able to find. */
export function forgetSeenIds({ facts }: ChannelState): void {
  const [oldestJob = Infinity] = facts.jobs.keys();
  for (const [upstreamId, { sinceJob }] of facts.knownUpstreamIds) {
    if (sinceJob > oldestJob) return;
    facts.knownUpstreamIds.delete(upstreamId);
  }
}
