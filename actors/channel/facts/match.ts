/** When held facts are taken up again: their message got its upstream id, or their patience is over. */
import type { ChannelEffect } from '../effects.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { UnmatchedFact } from '../ports.ts';
import type { ChannelState } from '../state.ts';
import { startJob } from './take.ts';
import { heldFor, patienceEndsAt, remember } from './unmatched.ts';

/** End of each turn: what waits for the ids learned in it. One look, however many there are. */
export function matchLearned(state: ChannelState, now: number): ChannelEffect[] {
  const { facts } = state;
  if (facts.toMatch.length === 0) return [];
  const learned = facts.toMatch;
  facts.toMatch = [];
  if (facts.unmatched.size === 0) return [];
  const waiting = new Set(learned.flatMap((message) => heldFor(state, message)));
  return takeUp(state, [...waiting], now);
}

/** An earlier owner may have ended between recording a message and taking up what was held for it. */
export function rematchAll(state: ChannelState, now: number): ChannelEffect[] {
  if (!state.facts.needsRematch) return [];
  state.facts.needsRematch = false;
  return takeUp(state, [...state.facts.unmatched.values()], now);
}

/** Held facts whose patience is over: echoes are taken as somebody else's, the rest is dropped. */
export function expireHeld(state: ChannelState, now: number): ChannelEffect[] {
  const echoes: UnmatchedFact[] = [];
  const dropped: string[] = [];
  for (const unmatched of state.facts.unmatched.values()) {
    const endsAt = patienceEndsAt(unmatched);
    if (endsAt > now) wakeBy(state, endsAt);
    else if (unmatched.fact.kind === 'echo') echoes.push(unmatched);
    else dropped.push(unmatched.id);
  }
  for (const id of dropped) state.facts.unmatched.delete(id);
  for (const { id } of echoes) state.facts.unmatched.delete(id);
  return [...drop(state, dropped), ...takeUp(state, echoes, now)];
}

/** What the owner before us wrote after we took over. */
export function adoptUnmatched(state: ChannelState, left: readonly UnmatchedFact[], now: number): void {
  for (const unmatched of left) if (!state.facts.unmatched.has(unmatched.id)) remember(state, unmatched);
  if (state.facts.unmatched.size === 0) return;
  state.facts.needsRematch = true; // what it waits for may have been recorded by the other owner
  wakeBy(state, now);
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
