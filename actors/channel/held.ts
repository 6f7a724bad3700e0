/** When held facts are taken up again: their message became known, or their patience is over. */
import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { ChannelEffect } from './effects.ts';
import { startJob } from './fact-jobs.ts';
import { heldFor } from './holding.ts';
import type { HeldFact } from './ports.ts';
import type { ChannelState } from './state.ts';
import { wakeBy } from './state.ts';

/** A message became known under `upstreamId`: what was held for it is taken up now. */
export function joinHeld(
  state: ChannelState,
  message: { upstreamId: string; recipient: string; attemptedAt: number },
  now: number,
): ChannelEffect[] {
  if (state.held.size === 0) return [];
  return takeUp(
    state,
    heldFor(state, message.upstreamId, message.recipient).filter((held) => concerns(held.fact, message)),
    now,
  );
}

/** Held facts whose patience is over: echoes are taken as somebody else's, the rest is dropped. */
export function expireHeld(state: ChannelState, now: number): ChannelEffect[] {
  const echoes: HeldFact[] = [];
  const dropped: string[] = [];
  for (const held of state.held.values()) {
    if (held.expiresAt > now) wakeBy(state, held.expiresAt);
    else if (held.fact.kind === 'echo') echoes.push(held);
    else dropped.push(held.id);
  }
  for (const id of dropped) state.held.delete(id);
  for (const { id } of echoes) state.held.delete(id);
  const effects: ChannelEffect[] = [];
  if (dropped.length > 0) {
    const writes = [{ write: 'dropHeld', heldIds: dropped } as const];
    effects.push({ effect: 'record', writes, events: [], settings: null, reply: null });
    effects.push({
      effect: 'log',
      event: 'facts.unmatched',
      fields: { channel: state.channelId, count: dropped.length },
    });
  }
  return [...effects, ...takeUp(state, echoes, now)];
}

function takeUp(state: ChannelState, held: readonly HeldFact[], now: number): ChannelEffect[] {
  if (held.length === 0) return [];
  const facts = held.map(({ fact }) => fact);
  return startJob(
    state,
    null,
    facts,
    held.map(({ id }) => id),
    now,
  );
}

function concerns(fact: ChannelFact, message: { upstreamId: string; attemptedAt: number }): boolean {
  if (fact.kind !== 'conversation-receipt') return true;
  if (fact.upToUpstreamId !== null)
    return fact.upToUpstreamId === message.upstreamId || fact.at >= message.attemptedAt;
  return (fact.upTo ?? fact.at) >= message.attemptedAt;
}
