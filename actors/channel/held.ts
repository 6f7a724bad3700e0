/** When held facts are taken up again: their message got its upstream id, or their patience is over. */
import type { ChannelEffect } from './effects.ts';
import { startJob } from './fact-jobs.ts';
import { heldFor, patienceEndsAt } from './holding.ts';
import type { HeldFact } from './ports.ts';
import type { ChannelState, Named } from './state.ts';
import { bounds, wakeBy } from './state.ts';

/**
 * Upstream's id of a message is on record: what is held for it is taken up now, and what a running job has looked up too
 * early to find it is taken up when that job has put it on hold.
 */
export function becameNamed(state: ChannelState, message: Named, now: number): ChannelEffect[] {
  if (state.jobs.size > 0) {
    state.named.delete(message.upstreamId); // to the end: the oldest are first
    state.named.set(message.upstreamId, { ...message, seenBy: state.nextJob });
  }
  return joinHeld(state, message, now);
}

/** Job `id` has ended, and is still among the jobs: what was named since it looked is joined with what it has put on hold. */
export function joinNamedSince(state: ChannelState, id: number, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const message of namedSince(state, id)) effects.push(...joinHeld(state, message, now));
  return effects;
}

export function namedSince(state: ChannelState, job: number): Named[] {
  const since: Named[] = [];
  for (const named of state.named.values()) if (named.seenBy > job) since.push(named);
  return since;
}

/** Forgets the names that every running job has been able to find. */
export function dropSeenNames(state: ChannelState): void {
  const [oldestJob = Infinity] = state.jobs.keys();
  for (const [upstreamId, { seenBy }] of state.named) {
    if (seenBy > oldestJob) return;
    state.named.delete(upstreamId);
  }
}

/** An earlier owner may have ended between recording a message and taking up what was held for it. */
export function joinLeftBehind(state: ChannelState, now: number): ChannelEffect[] {
  if (!state.heldIsFresh) return [];
  state.heldIsFresh = false;
  return takeUp(state, [...state.held.values()], now);
}

/** Held facts whose patience is over: echoes are taken as somebody else's, the rest is dropped. */
export function expireHeld(state: ChannelState, now: number): ChannelEffect[] {
  const echoes: HeldFact[] = [];
  const dropped: string[] = [];
  for (const held of state.held.values()) {
    const endsAt = patienceEndsAt(held);
    if (endsAt > now) wakeBy(state, endsAt);
    else if (held.fact.kind === 'echo') echoes.push(held);
    else dropped.push(held.id);
  }
  for (const id of dropped) state.held.delete(id);
  for (const { id } of echoes) state.held.delete(id);
  return [...drop(state, dropped), ...takeUp(state, echoes, now)];
}

function drop(state: ChannelState, heldIds: string[]): ChannelEffect[] {
  if (heldIds.length === 0) return [];
  const fields = { channel: state.channelId, count: heldIds.length };
  return [
    {
      effect: 'record',
      writes: [{ write: 'dropHeld', heldIds }],
      events: [],
      settings: null,
      reply: null,
      after: null,
    },
    { effect: 'log', event: 'facts.unmatched', fields },
  ];
}

function joinHeld(state: ChannelState, message: Named, now: number): ChannelEffect[] {
  if (state.held.size === 0) return [];
  return takeUp(state, heldFor(state, message.upstreamId, message.recipient), now);
}

/** What still can't be matched stays held. In chunks, so that no turn is long. [faults: I9] */
function takeUp(state: ChannelState, held: readonly HeldFact[], now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (let start = 0; start < held.length; start += bounds.readChunk) {
    const chunk = held.slice(start, start + bounds.readChunk);
    const facts = chunk.map(({ fact }) => fact);
    effects.push(...startJob(state, { ask: null, facts, dropped: 0, joined: chunk }, now));
  }
  return effects;
}
