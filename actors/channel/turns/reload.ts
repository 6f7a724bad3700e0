/**
 * When memory and store may differ, the store is read again: after a claim that is not certain, and some time after a
 * take-over, because the owner before us may have written after we looked. [architecture §1: memory is a cache]
 */
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import type { Turn } from '../../runtime/actor.ts';
import { dueAt } from '../background.ts';
import { takeLoaded } from '../deliveries.ts';
import type { ChannelEffect } from '../effects.ts';
import { remember } from '../holding.ts';
import type { EffectResult, LeftBehind } from '../messages.ts';
import type { ChannelState, OpenSend } from '../state.ts';
import { limits, forgetSend, reopened, wakeBy } from '../state.ts';
import { recordUnfinished } from './send-result.ts';

type Reloaded = Extract<EffectResult, { type: 'reloaded' }>;

/** Its copies and tries are what the store says. */
export function markUnsure(state: ChannelState, send: OpenSend): ChannelEffect[] {
  if (send.confirmed) {
    forgetSend(state, send.messageId); // an event was first: the store has it as sent
    return [];
  }
  send.stage = 'unsure';
  return reloadUnsure(state);
}

/** Alarm: twice after a take-over. */
export function recheck(state: ChannelState, now: number): ChannelEffect[] {
  if (state.draining || state.recheckAt > now) {
    if (!state.draining) wakeBy(state, state.recheckAt);
    return [];
  }
  state.rechecks += 1;
  state.recheckAt = state.rechecks > 1 ? Infinity : now + state.rules.sendResendAfterMs + limits.recheckMs;
  wakeBy(state, state.recheckAt);
  return state.reloading ? [] : [reload(state, [])];
}

/** One look at a time, however many are unsure: each reads everything open. */
function reloadUnsure(state: ChannelState): ChannelEffect[] {
  if (state.reloading) return [];
  const messageIds: string[] = [];
  for (const { messageId, stage } of state.sends.values()) if (stage === 'unsure') messageIds.push(messageId);
  return messageIds.length === 0 ? [] : [reload(state, messageIds)];
}

function reload(state: ChannelState, messageIds: string[]): ChannelEffect {
  state.reloading = true;
  return { effect: 'reload', messageIds, known: new Set(state.sends.keys()) };
}

export function onReloaded(
  state: ChannelState,
  { messageIds, open, left }: Reloaded,
  { now }: Turn,
): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const byId = new Map(open.map((message) => [message.id, message]));
  for (const messageId of messageIds) {
    const send = state.sends.get(messageId);
    if (send?.stage === 'unsure') effects.push(...takeAnswer(state, send, byId.get(messageId), now));
  }
  effects.push(...adoptFromStore(state, left, now));
  state.reloading = false;
  state.endedDuringReload.clear();
  return [...effects, ...reloadUnsure(state)];
}

/** Not open any more: somebody else has ended it. */
function takeAnswer(
  state: ChannelState,
  send: OpenSend,
  message: OutboundMessage | undefined,
  now: number,
): ChannelEffect[] {
  if (message === undefined) {
    forgetSend(state, send.messageId);
    return [];
  }
  const isOurClaim =
    message.state === 'sending' && message.tries === send.tries && message.attemptedAt === send.attemptedAt;
  Object.assign(send, reopened({ message, content: send.content }));
  if (isOurClaim) return [takeBackClaim(send, now)];
  wakeBy(state, dueAt(state, send));
  return [];
}

/** It is on record although the store did not say so, and was never followed by a call: no copy. */
function takeBackClaim(send: OpenSend, now: number): ChannelEffect {
  const { messageId } = send;
  const nextTryAt = now + limits.postponeMs;
  const { error, errorCode } = send.refusal ?? { error: 'The store was not available', errorCode: null };
  Object.assign(send, { stage: 'deferred', copies: send.copies - 1, nextTryAt });
  return recordUnfinished(send, { write: 'recordDeferred', messageId, nextTryAt, error, errorCode });
}

/** What the owner before us wrote after we took over. */
function adoptFromStore(state: ChannelState, left: LeftBehind, now: number): ChannelEffect[] {
  for (const opened of left.sends) {
    const { id } = opened.message;
    if (state.sends.has(id) || state.endedDuringReload.has(id)) continue;
    const send = reopened(opened);
    state.sends.set(id, send);
    wakeBy(state, dueAt(state, send));
  }
  for (const unmatched of left.unmatched) if (!state.unmatched.has(unmatched.id)) remember(state, unmatched);
  if (state.unmatched.size > 0) {
    state.needsRematch = true; // what it waits for may have been recorded by the other owner
    wakeBy(state, now);
  }
  return takeLoaded(state, left, now);
}
