/**
 * Upstream ids that messages have got in this turn, and while jobs run. Sends and echoes note them here and start nothing:
 * `decide` matches what waits for them once, at the end of the turn.
 */
import type { KnownUpstreamId } from './facts/state.ts';
import type { ChannelState } from './state.ts';
import { limits } from './limits.ts';

/** Upstream's id of a message is on record. */
export function noteUpstreamId({ facts }: ChannelState, message: KnownUpstreamId): void {
  facts.toMatch.push(message);
  if (facts.jobs.size === 0) return;
  facts.knownUpstreamIds.delete(message.upstreamId); // to the end: the oldest are first
  facts.knownUpstreamIds.set(message.upstreamId, { ...message, sinceJob: facts.nextJob });
}

/** What `job` has looked up too early to find. */
export function learnedSince({ facts }: ChannelState, job: number): KnownUpstreamId[] {
  return [...facts.knownUpstreamIds.values()].filter(({ sinceJob }) => sinceJob > job);
}

/** Forgets the ids that every running job has been able to find. */
export function forgetSeenIds({ facts }: ChannelState): void {
  const [oldestJob = Infinity] = facts.jobs.keys();
  for (const [upstreamId, { sinceJob }] of facts.knownUpstreamIds) {
    if (sinceJob > oldestJob) return;
    facts.knownUpstreamIds.delete(upstreamId);
  }
}

/**
 * The `timestamp` of a status event: upstream's, but never earlier than the one before of the same message. Upstream counts in
 * seconds, we in milliseconds, and each by its own clock. `stored` is what the message's record says; what was decided since
 * then, here, is remembered for the latest messages. [operator-interface §4: status events of one message]
 */
export function statusTime(
  { facts: { statusTimes } }: Pick<ChannelState, 'facts'>,
  messageId: string,
  at: number,
  stored: number | null,
): number {
  const time = Math.max(at, stored ?? 0, statusTimes.get(messageId) ?? 0);
  statusTimes.delete(messageId); // to the end: the oldest are first
  statusTimes.set(messageId, time);
  if (statusTimes.size > limits.statusTimes) {
    const [oldest] = statusTimes.keys();
    if (oldest !== undefined) statusTimes.delete(oldest);
  }
  return time;
}
