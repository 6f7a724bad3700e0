/** How a batch of facts ends: what it came to takes effect in memory once it is on record, or is taken back. */
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { forgetSeenIds, learnedSince, noteUpstreamId } from '../known-ids.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect } from '../messages.ts';
import { confirmSend } from '../sends/confirm.ts';
import type { ChannelState } from '../state.ts';
import { leaveInStore } from '../inbound/backlog.ts';
import { fetchFiles, forgetUnkept } from '../inbound/files.ts';
import type { FactJob } from './state.ts';
import { forget, remember } from './unmatched.ts';

/** On record: only now does it take effect in memory. */
export function takeEffect(state: ChannelState, id: number, job: FactJob, now: number): ChannelEffect[] {
  const effects = [
    ...settleUnmatched(state, job),
    ...fetchFiles(state, job.received, listUnkept(state, job), now),
  ];
  for (const { messageId, upstreamId } of job.confirms)
    effects.push(...confirmSend(state, messageId, upstreamId, now));
  for (const message of job.learned) noteUpstreamId(state, message);
  // What was learned since it looked is matched with what it lets wait.
  if (state.facts.knownUpstreamIds.size > 0) state.facts.toMatch.push(...learnedSince(state, id));
  return effects;
}

/** A conversation receipt that covers more messages than one chunk. */
export function goRoundAgain(job: FactJob, again: ChannelFact[]): void {
  Object.assign(job, {
    facts: again,
    rematched: [],
    confirms: [],
    learned: [],
    waiting: [],
    received: [],
  } satisfies Partial<FactJob>);
}

/** `mayBeStored`: the commit may be on record all the same, and upstream's repetition may find the channel closed. */
export function takeBack(state: ChannelState, job: FactJob, mayBeStored: boolean): void {
  for (const { dueAt } of [...job.received, ...job.waiting])
    if (dueAt !== null) leaveInStore(state.inbound.backlog, dueAt - 1);
  forgetUnkept(state, listUnkept(state, job));
  // Deliveries may be on record all the same; their redelivery would find them there and start nothing.
  if (mayBeStored) state.deliveries.storeHasMore = true;
}

/** Reserved by this job alone: upstream's repetition may be on its way beside it. */
function listUnkept({ facts: { jobs } }: ChannelState, job: FactJob): string[] {
  if (job.reserved.length === 0) return job.reserved;
  return job.reserved.filter((id) => !jobs.some((other) => other !== job && other.reserved.includes(id)));
}

export function endJob(state: ChannelState, id: number): void {
  state.facts.jobs.delete(id);
  forgetSeenIds(state);
}

function settleUnmatched(state: ChannelState, { rematched, waiting }: FactJob): ChannelEffect[] {
  if (rematched.length + waiting.length === 0) return [];
  const again = [
    ...rematched.flatMap((unmatched) => forget(state, unmatched) ?? []),
    ...waiting.flatMap((unmatched) => remember(state, unmatched) ?? []),
  ];
  if (again.length === 0) return [];
  return [commitUntilStored(again.map((unmatched) => ({ write: 'keepWaiting', unmatched })))];
}
