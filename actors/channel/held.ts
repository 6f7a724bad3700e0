/** When held facts are taken up again: their message got its upstream id, or their patience is over. */
import type { ChannelEffect } from './effects.ts';
import { startJob } from './fact-jobs.ts';
import { heldFor, patienceEndsAt } from './holding.ts';
import type { UnmatchedFact } from './ports.ts';
import type { ChannelState, KnownUpstreamId } from './state.ts';
import { limits, wakeBy } from './state.ts';

/**
 * Upstream's id of a message is on record: what is held for it is taken up now, and what a running job has looked up too
 * early to find it is taken up when that job has put it on hold.
 */
export function noteUpstreamId(state: ChannelState, message: KnownUpstreamId, now: number): ChannelEffect[] {
  if (state.jobs.size > 0) {
    state.knownUpstreamIds.delete(message.upstreamId); // to the end: the oldest are first
    state.knownUpstreamIds.set(message.upstreamId, { ...message, seenBy: state.nextJob });
  }
  return joinHeld(state, message, now);
}

/** Job `id` has ended, and is still among the jobs: what was named since it looked is joined with what it has put on hold. */
export function joinNamedSince(state: ChannelState, id: number, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const message of learnedSince(state, id)) effects.push(...joinHeld(state, message, now));
  return effects;
}

export function learnedSince(state: ChannelState, job: number): KnownUpstreamId[] {
  const since: KnownUpstreamId[] = [];
  for (const named of state.knownUpstreamIds.values()) if (named.seenBy > job) since.push(named);
  return since;
}

/** Forgets the names that every running job has been able to find. */
export function dropSeenNames(state: ChannelState): void {
  const [oldestJob = Infinity] = state.jobs.keys();
  for (const [upstreamId, { seenBy }] of state.knownUpstreamIds) {
    if (seenBy > oldestJob) return;
    state.knownUpstreamIds.delete(upstreamId);
  }
}

/** An earlier owner may have ended between recording a message and taking up what was held for it. */
export function rematchAll(state: ChannelState, now: number): ChannelEffect[] {
  if (!state.needsRematch) return [];
  state.needsRematch = false;
  return takeUp(state, [...state.unmatched.values()], now);
}

/** Held facts whose patience is over: echoes are taken as somebody else's, the rest is dropped. */
export function expireHeld(state: ChannelState, now: number): ChannelEffect[] {
  const echoes: UnmatchedFact[] = [];
  const dropped: string[] = [];
  for (const unmatched of state.unmatched.values()) {
    const endsAt = patienceEndsAt(unmatched);
    if (endsAt > now) wakeBy(state, endsAt);
    else if (unmatched.fact.kind === 'echo') echoes.push(unmatched);
    else dropped.push(unmatched.id);
  }
  for (const id of dropped) state.unmatched.delete(id);
  for (const { id } of echoes) state.unmatched.delete(id);
  return [...drop(state, dropped), ...takeUp(state, echoes, now)];
}

function drop(state: ChannelState, unmatchedIds: string[]): ChannelEffect[] {
  if (unmatchedIds.length === 0) return [];
  const fields = { channel: state.channelId, count: unmatchedIds.length };
  return [
    {
      effect: 'record',
      writes: [{ write: 'dropUnmatched', unmatchedIds }],
      events: [],
      settings: null,
      reply: null,
      after: null,
    },
    { effect: 'log', event: 'facts.unmatched', fields },
  ];
}

function joinHeld(state: ChannelState, message: KnownUpstreamId, now: number): ChannelEffect[] {
  if (state.unmatched.size === 0) return [];
  return takeUp(state, heldFor(state, message.upstreamId, message.recipient), now);
}

/** What still can't be matched stays held. In chunks, so that no turn is long. [faults: I9] */
function takeUp(state: ChannelState, unmatched: readonly UnmatchedFact[], now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (let start = 0; start < unmatched.length; start += limits.readChunk) {
    const chunk = unmatched.slice(start, start + limits.readChunk);
    const facts = chunk.map(({ fact }) => fact);
    effects.push(...startJob(state, { ask: null, facts, dropped: 0, joined: chunk }, now));
  }
  return effects;
}
