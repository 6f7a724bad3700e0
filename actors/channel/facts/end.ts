/** How a batch of facts ends: its results take effect in memory once they are stored, or are undone. */
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

/** The commit is stored: only now its results take effect in memory. */
export function applyCommitted(state: ChannelState, id: number, job: FactJob, now: number): ChannelEffect[] {
  const effects = [
    ...settleUnmatched(state, job),
    ...fetchFiles(state, job.received, listUnkept(state, job), now),
  ];
  for (const { messageId, upstreamId } of job.confirms)
    effects.push(...confirmSend(state, messageId, upstreamId, now));
  for (const message of job.learned) noteUpstreamId(state, message);
  // Ids that became known after the look-up may match facts that this job lets wait.
  if (state.facts.knownUpstreamIds.size > 0) state.facts.toMatch.push(...learnedSince(state, id));
  return effects;
}

/** A conversation receipt covers more messages than one chunk, so the job starts another round. */
export function startNextRound(job: FactJob, again: ChannelFact[]): void {
  Object.assign(job, {
    facts: again,
    rematched: [],
    confirms: [],
    learned: [],
    waiting: [],
    received: [],
  } satisfies Partial<FactJob>);
}

/** Undoes a failed job. `mayBeStored`: its commit may be stored nevertheless, and upstream's redelivery may find the channel inactive. */
export function rollBack(state: ChannelState, job: FactJob, mayBeStored: boolean): void {
  for (const { dueAt } of [...job.received, ...job.waiting])
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
