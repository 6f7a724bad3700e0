/**
 * Which send goes next. Sends to one recipient go in order: the next one waits for the answer to the one before (at most
 * `limits.orderHoldMs`); recipients go in parallel, up to `limits.calls`. A pair-rate refusal pauses the line, a throughput
 * refusal the channel; both hold back retries and copies too. Age in the queue, not length, decides `overloaded`.
 * [architecture §5]
 */
import type { Content } from '../../../src/domain/messages/message.ts';
import type { ChannelEffect } from '../effects.ts';
import { operableSettings, refusalOf } from '../eligibility.ts';
import type { Refusal } from '../eligibility.ts';
import { limits } from '../limits.ts';
import type { ChannelSettings } from '../ports.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { forgetSend } from './state.ts';
import type { OpenSend, RecipientQueue } from './state.ts';

/** Puts a new send into its recipient's line and starts what can start. */
export function enqueue(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  state.sends.open.set(send.messageId, send);
  lineOf(state, send.recipient).waiting.push(send);
  wakeBy(state, now + state.rules.maxQueueAgeMs);
  return startLine(state, send.recipient, now);
}

/** The call of `send` is over (or its answer no longer matters for the order): the next may go. */
export function releaseLine(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const line = state.sends.lines.get(send.recipient);
  if (line?.inFlight === send) {
    line.inFlight = null;
    if (line.retryWaiting) wakeBy(state, now);
    line.retryWaiting = false;
  }
  return [...startLine(state, send.recipient, now), ...startStarved(state, now)];
}

/** A call has ended: whoever waited only for it may go. */
export function startStarved(state: ChannelState, now: number): ChannelEffect[] {
  return state.sends.waitingForSlot && state.sends.calls < limits.calls ? startAll(state, now) : [];
}

export function pausePair(state: ChannelState, recipient: string, until: number): void {
  const line = lineOf(state, recipient);
  line.pausedUntil = Math.max(line.pausedUntil, until);
}

/** Starts whatever can start in every line, oldest lines first. */
export function startAll(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  state.sends.waitingForSlot = false;
  for (const recipient of state.sends.lines.keys()) {
    effects.push(...startLine(state, recipient, now));
    if (state.sends.waitingForSlot) break;
  }
  return effects;
}

/** When a retry or copy may go to this recipient; asked again when the one ahead is answered. */
export function freeAt(state: ChannelState, recipient: string): number {
  const line = state.sends.lines.get(recipient);
  if (line === undefined) return state.sends.pausedUntil;
  if (line.inFlight !== null) line.retryWaiting = true;
  return whenFree(state, line);
}

/** Claims another upstream call for a send that is already in the store. */
export function callAgain(
  state: ChannelState,
  send: OpenSend,
  content: Content,
  settings: ChannelSettings,
  now: number,
): ChannelEffect {
  lineOf(state, send.recipient).inFlight = send;
  return call(state, send, content, settings, now, false);
}

function startLine(state: ChannelState, recipient: string, now: number): ChannelEffect[] {
  const line = state.sends.lines.get(recipient);
  if (line === undefined) return [];
  const effects = line.waiting.length === 0 || state.draining ? [] : startWaiting(state, line, now);
  if (line.waiting.length > 0 || line.inFlight !== null) return effects;
  if (line.pausedUntil <= now) state.sends.lines.delete(recipient);
  else wakeBy(state, line.pausedUntil); // to be deleted then
  return effects;
}

function startWaiting(state: ChannelState, line: RecipientQueue, now: number): ChannelEffect[] {
  // [faults: 52] The licence may have lapsed while they waited.
  const settings = operableSettings(state, now);
  if (settings === null) return turnAway(state, line, refusalOf(state, now));
  const effects: ChannelEffect[] = [];
  while (line.waiting.length > 0) {
    const freeFrom = whenFree(state, line);
    if (freeFrom > now) {
      wakeBy(state, freeFrom);
      break;
    }
    if (state.sends.calls >= limits.calls) {
      state.sends.waitingForSlot = true;
      break;
    }
    const send = line.waiting.shift();
    if (send === undefined || send.content === null) break;
    line.inFlight = send;
    effects.push(call(state, send, send.content, settings, now, true));
  }
  return effects;
}

/** Nothing of them is stored, nothing was sent. */
function turnAway(state: ChannelState, line: RecipientQueue, refusal: Refusal | null): ChannelEffect[] {
  const turnedAway = line.waiting;
  line.waiting = [];
  return turnedAway.flatMap(({ messageId, asks }): ChannelEffect[] => {
    forgetSend(state, messageId);
    return refusal === null ? [] : [{ effect: 'refuse', asks, ...refusal }];
  });
}

function whenFree(state: ChannelState, line: RecipientQueue): number {
  const behind = line.inFlight === null ? 0 : line.inFlight.attemptedAt + limits.orderHoldMs;
  return Math.max(behind, line.pausedUntil, state.sends.pausedUntil);
}

function call(
  state: ChannelState,
  send: OpenSend,
  content: Content,
  settings: ChannelSettings,
  now: number,
  first: boolean,
): ChannelEffect {
  send.stage = 'claiming';
  send.attemptedAt = now;
  send.nextTryAt = null;
  send.copies += 1;
  send.tries += 1;
  state.sends.calls += 1;
  // The call may run until a second copy would be due: a late answer is worth more than a second copy.
  const timeoutMs = state.rules.sendResendAfterMs;
  return { effect: 'claim-and-call', send: { ...send }, content, first, settings, timeoutMs };
}

function lineOf(state: ChannelState, recipient: string): RecipientQueue {
  const known = state.sends.lines.get(recipient);
  if (known !== undefined) return known;
  const line: RecipientQueue = { waiting: [], inFlight: null, retryWaiting: false, pausedUntil: 0 };
  state.sends.lines.set(recipient, line);
  return line;
}

/** Sends that were never claimed: nothing of them is stored, nothing was sent. */
export function turnAwayWaiting(state: ChannelState): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const { messageId, stage, asks } of state.sends.open.values()) {
    if (stage !== 'waiting') continue;
    forgetSend(state, messageId);
    effects.push({ effect: 'refuse', asks, code: 'unavailable', details: {} });
  }
  for (const line of state.sends.lines.values()) line.waiting = [];
  return effects;
}
