/**
 * Sends that were answered `queued`: retried while upstream defers them, resent once while unconfirmed, given up in the end.
 * [spec: Message send state; architecture §5]
 */
import type { Content } from '../../../src/rules/messages/content.ts';
import { fault } from '../../../src/kernel/faults.ts';
import type { ChannelEffect } from '../messages.ts';
import { findSendRefusal } from '../eligibility.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { failSend } from './outcome.ts';
import { isFull, paceAllowsAt, wakeForPace } from './pace.ts';
import { callAgain, freeAt, isNumberPaused } from './queue.ts';
import type { OpenSend, SendRefusal } from './state.ts';

/** Most copies (calls that succeeded or whose outcome is unknown) of one message. [faults: I2] */
const maxCopies = 2;

/** When this send must be looked at next. */
export function dueAt(state: ChannelState, send: OpenSend): number {
  return Math.max(send.heldUntil, Math.min(giveUpAt(state, send), callDueAt(state, send)));
}

export function finishInBackground(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  if (send.recording) return []; // looked at again when its outcome is stored
  if (send.heldUntil > now) {
    wakeBy(state, send.heldUntil);
    return [];
  }
  // Nothing of it went out, and it goes when upstream has the number back: its time to give up starts then.
  if (send.copies === 0 && isNumberPaused(state)) send.giveUpFrom = now;
  if (giveUpAt(state, send) <= now) return giveUp(state, send, now);
  wakeBy(state, giveUpAt(state, send));
  const { content } = send;
  if (content === null || state.draining) return [];
  const callAt = callDueAt(state, send);
  const startAt = Math.max(callAt, callAt > now ? 0 : freeAt(state, send.person, now));
  if (startAt > now) {
    wakeBy(state, startAt);
    // Upstream tells a channel that has stopped no end of the pause, so this send would wait for good.
    return callAt <= now && isNumberPaused(state) ? (endRefused(state, send, content, now) ?? []) : [];
  }
  return callNow(state, send, content, now);
}

const neverSent = { error: 'The message can no longer be read, and was not sent', errorCode: null };
const neverConfirmed = {
  error: 'Upstream never confirmed the message; it may have arrived',
  errorCode: null,
};

function callNow(state: ChannelState, send: OpenSend, content: Content, now: number): ChannelEffect[] {
  if (mustWait(state, content, now)) return [];
  const refused = endRefused(state, send, content, now);
  if (refused !== null) return refused;
  const { settings } = state;
  return settings === null ? [] : [callAgain(state, send, content, settings, now)];
}

/** [faults: 52] Licence and channel are checked again before each copy. null: the channel may send it. */
function endRefused(
  state: ChannelState,
  send: OpenSend,
  content: Content,
  now: number,
): ChannelEffect[] | null {
  const refusal = findSendRefusal(state, content, now);
  if (refusal === null) return null;
  if (send.copies > 0) {
    // A first copy that may have gone out can be confirmed until the end; new settings trigger another look.
    send.giveUpFrom ??= now; // the operator's repair, which it has waited for, would not let it go
    wakeBy(state, giveUpAt(state, send));
    return [];
  }
  const { message: error } = fault(refusal.code, refusal.details);
  return endSend(state, send, { error, errorCode: null }, now);
}

/** Checked first, because it is cheap: thousands of sends may wait. */
function mustWait(state: ChannelState, content: Content, now: number): boolean {
  const paceAt = paceAllowsAt(state.sends, content);
  if (paceAt > now) wakeForPace(state, paceAt, now);
  else if (isFull(state.sends, now)) wakeBy(state, now + limits.retryPauseMs);
  else return false;
  return true;
}

function giveUp(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  if (send.tries === 0) return failSend(state, send, neverSent, now);
  // If no copy can have gone out, upstream's refusal is the reason to report.
  const why = send.copies === 0 && send.refusal !== null ? send.refusal : neverConfirmed;
  return endSend(state, send, why, now);
}

/** Ends the send for a reason of the service; the event still has what upstream said. */
function endSend(state: ChannelState, send: OpenSend, why: SendRefusal, now: number): ChannelEffect[] {
  return failSend(state, send, { ...why, before: send.refusal }, now);
}

/**
 * A send that was stored because of a pause or the pace is called when that ends, however late: its time to give up starts with its first
 * call. [operator-interface §4]
 */
function giveUpAt({ rules }: ChannelState, { content, giveUpFrom, arrivedAt }: OpenSend): number {
  const from = content === null ? arrivedAt : giveUpFrom;
  return from === null ? Infinity : from + rules.sendGiveUpAfterMs;
}

function callDueAt(state: ChannelState, send: OpenSend): number {
  if (send.stage === 'deferred') return send.nextTryAt ?? 0;
  return send.copies >= maxCopies ? Infinity : send.attemptedAt + state.rules.sendResendAfterMs;
}
