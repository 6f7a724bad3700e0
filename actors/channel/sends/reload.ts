/**
 * When memory and store may differ, the store is read again: after an uncertain claim, and some time after a take-over, because the
 * previous owner may have written after this one loaded. [architecture §1: memory is a cache]
 */
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { ChannelEffect } from '../messages.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { dueAt } from './background.ts';
import { attemptThatCounts } from './outcome.ts';
import { recordUnfinished } from './result.ts';
import { dateByOurClock, reopened } from './reopened.ts';
import { forgetSend, moveSend } from './state.ts';
import type { OpenSend } from './state.ts';
import type { OpenedMessage } from '../../../src/storage/journal/channel-journal.ts';

/** The store decides how many copies and tries the send has had. */
export function reconcile(state: ChannelState, send: OpenSend): ChannelEffect[] {
  if (send.confirmed) {
    forgetSend(state, send.messageId); // an event came first: the store has the message as sent
    return [];
  }
  moveSend(send, 'reconciling');
  return reloadReconciling(state);
}

/** Alarm: reads the store twice after a take-over. */
export function recheck(state: ChannelState, now: number): ChannelEffect[] {
  if (state.draining) return [];
  if (state.recheckAt > now) {
    wakeBy(state, state.recheckAt);
    return [];
  }
  state.rechecks += 1;
  state.recheckAt = state.rechecks > 1 ? Infinity : now + state.rules.sendResendAfterMs + limits.recheckMs;
  wakeBy(state, state.recheckAt);
  return loadOthers(state);
}

/** Loads the sends that others have stored: an earlier owner, or nodes that found no owner. */
export function loadOthers(state: ChannelState): ChannelEffect[] {
  return state.draining || state.sends.endedDuringReload !== null ? [] : [reload(state, [])];
}

/** One read at a time, for all uncertain sends together: each reads everything open. */
function reloadReconciling(state: ChannelState): ChannelEffect[] {
  if (state.sends.endedDuringReload !== null) return [];
  const messageIds: string[] = [];
  for (const { messageId, stage } of state.sends.open.values())
    if (stage === 'reconciling') messageIds.push(messageId);
  return messageIds.length === 0 ? [] : [reload(state, messageIds)];
}

function reload(state: ChannelState, messageIds: string[]): ChannelEffect {
  state.sends.endedDuringReload = new Set();
  return { effect: 'reload', messageIds, known: new Set(state.sends.open.keys()) };
}

/** Applies what the store has of the sends that were asked for. */
export function takeAnswers(
  state: ChannelState,
  messageIds: readonly string[],
  open: readonly OutboundMessage[],
  now: number,
): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const byId = new Map(open.map((message) => [message.id, message]));
  for (const messageId of messageIds) {
    const send = state.sends.open.get(messageId);
    if (send?.stage === 'reconciling') effects.push(...takeAnswer(state, send, byId.get(messageId), now));
  }
  return effects;
}

/** No message: it is not open any more, because another owner has ended it. */
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
  const { stage, ...stored } = reopened({ message, content: send.content });
  Object.assign(send, stored);
  dateByOurClock([send], now);
  if (isOurClaim) return [revertClaim(send, now)];
  moveSend(send, stage);
  wakeBy(state, dueAt(state, send));
  return [];
}

/** The claim is stored although the store did not answer, and no call followed: not a copy. */
function revertClaim(send: OpenSend, now: number): ChannelEffect {
  const { messageId } = send;
  const nextTryAt = now + limits.retryPauseMs;
  const { error, errorCode } = send.refusal ?? { error: 'The store was not available', errorCode: null };
  moveSend(send, 'deferred');
  send.copies -= 1;
  send.nextTryAt = nextTryAt;
  const reverted = { nextTryAt, error, errorCode, ...attemptThatCounts(send) };
  return recordUnfinished(send, { write: 'recordDeferred', messageId, ...reverted });
}

/** What the previous owner wrote after the take-over. */
export function adoptSends(state: ChannelState, left: readonly OpenedMessage[], now: number): void {
  const { open, endedDuringReload } = state.sends;
  for (const send of dateByOurClock(left.map(reopened), now)) {
    const { messageId: id } = send;
    if (open.has(id) || endedDuringReload?.has(id) === true) continue;
    open.set(id, send);
    wakeBy(state, dueAt(state, send));
  }
}

/** Sends that became uncertain during the read need another one. */
export function endReload(state: ChannelState): ChannelEffect[] {
  state.sends.endedDuringReload = null;
  return reloadReconciling(state);
}
