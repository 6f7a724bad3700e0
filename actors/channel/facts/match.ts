/** When unmatched facts are processed again: their message got its upstream id, or their time is over. */
import { countParts } from '../../../src/rules/messages/facts.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, EffectResult, StoredWork } from '../messages.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import { takeBacklog } from '../inbound/backlog.ts';
import { adoptInbound, emitReady } from '../inbound/files.ts';
import { reopenUnmatched } from './state.ts';
import { startJob } from './take.ts';
import { echoesTo, remember, unmatchedFor, waitsUntil } from './unmatched.ts';

/** End of each turn: matches the unmatched facts that waited for what was learned or answered in it; one pass for all. */
export function matchLearned(state: ChannelState, now: number): ChannelEffect[] {
  const facts = state.factsAtWork;
  if (facts === null || facts.learnedNow.length + facts.answeredNow.length === 0) return [];
  const { learnedNow: learned, answeredNow: answered } = facts;
  facts.learnedNow = [];
  facts.answeredNow = [];
  if (facts.unmatched.size === 0) return [];
  const matched = new Set(learned.flatMap((message) => unmatchedFor(state, message)));
  for (const echo of echoesTo(state, answered)) matched.add(echo);
  return rematch(state, [...matched], now);
}

/**
 * An earlier owner may have ended between storing a message and matching its unmatched facts. In chunks, because each fact's
 * message has to be looked up in the store. [faults: I9, 97]
 */
export function rematchSome(state: ChannelState, now: number): ChannelEffect[] {
  const facts = state.factsAtWork;
  if (facts === null || facts.toRematch.length === 0) return [];
  const chunk = facts.toRematch.splice(0, endOfChunk(facts.toRematch, 0));
  if (facts.toRematch.length > 0) wakeBy(state, now + 1);
  const unmatched = chunk.filter(({ id, fact }) => facts.unmatched.get(id)?.fact === fact);
  return rematch(state, unmatched, now);
}

/** Unmatched facts whose time is over: echoes count as foreign, one chunk per turn; all others are dropped. */
export function expireUnmatched(state: ChannelState, now: number): ChannelEffect[] {
  const facts = state.factsAtWork;
  if (facts === null) return [];
  const echoes: UnmatchedFact[] = [];
  const dropped: UnmatchedFact[] = [];
  for (const unmatched of facts.unmatched.values()) {
    const endsAt = waitsUntil(unmatched);
    if (endsAt > now) wakeBy(state, endsAt);
    else if (unmatched.fact.kind === 'echo') echoes.push(unmatched);
    else dropped.push(unmatched);
  }
  for (const { id } of dropped) facts.unmatched.delete(id);
  const chunk = echoes.slice(0, endOfChunk(echoes, 0));
  if (chunk.length < echoes.length) wakeBy(state, now + 1);
  for (const { id } of chunk) facts.unmatched.delete(id);
  return [...dropUnmatched(state, dropped), ...rematch(state, chunk, now)];
}

/** What the previous owner wrote after the take-over. */
export function adoptStored(
  state: ChannelState,
  { inbound, unmatched: left }: Pick<StoredWork, 'inbound' | 'unmatched'>,
  now: number,
): void {
  adoptInbound(state, inbound, now);
  for (const unmatched of [...left, ...inbound.echoes])
    if (!state.facts.unmatched.has(unmatched.id)) remember(state, unmatched);
  if (state.facts.unmatched.size === 0) return;
  // The previous owner may have stored the messages they wait for.
  state.facts.toRematch = [...state.facts.unmatched.values()];
  wakeBy(state, now);
}

/** A page that only the store held: pending messages, and the echoes that waited between them. */
export function onInboundLoaded(
  state: ChannelState,
  loaded: Extract<EffectResult, { type: 'inbound-loaded' }>,
  now: number,
): ChannelEffect[] {
  takeBacklog(state.inbound, loaded, now);
  reopenUnmatched(state.facts, loaded.echoes);
  if (loaded.echoes.length > 0) wakeBy(state, now);
  return emitReady(state, now);
}

export function dropUnmatched(state: ChannelState, dropped: readonly UnmatchedFact[]): ChannelEffect[] {
  if (dropped.length === 0) return [];
  const unmatchedIds = dropped.map(({ id }) => id);
  // A receipt of a conversation may cover nothing more; one of a message that is unknown is a loss.
  const count = dropped.filter(({ fact }) => fact.kind === 'receipt').length;
  const effects: ChannelEffect[] = [commitUntilStored([{ write: 'dropWaiting', unmatchedIds }])];
  const fields = { channel: state.channelId, count };
  if (count > 0) effects.push({ effect: 'log', event: 'facts.unmatched', fields });
  return effects;
}

/** Facts that still can't be matched keep waiting. In chunks, so that no turn is long. [faults: I9] */
export function rematch(
  state: ChannelState,
  unmatched: readonly UnmatchedFact[],
  now: number,
): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (let start = 0; start < unmatched.length;) {
    const chunk = unmatched.slice(start, endOfChunk(unmatched, start));
    const facts = chunk.map(({ fact }) => fact);
    effects.push(...startJob(state, { asks: [], facts, rematched: chunk }, now));
    start += chunk.length;
  }
  return effects;
}

/** Index behind the chunk that begins at `start`: each part of an echo makes an event, so its parts count. At least one fact. */
function endOfChunk(unmatched: readonly UnmatchedFact[], start: number): number {
  let parts = 0;
  for (let end = start; end < unmatched.length; end += 1) {
    const each = unmatched[end];
    if (each !== undefined) parts += countParts(each.fact);
    if (parts > limits.readChunk && end > start) return end;
  }
  return unmatched.length;
}
