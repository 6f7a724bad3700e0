/**
 * Which send goes next. Sends to one recipient go in order: the next one waits for the answer to the one before (at most
 * `bounds.orderHoldMs`); recipients go in parallel, up to `bounds.calls`. A pair-rate refusal pauses the line, a throughput
 * refusal the channel. Age in the queue, not length, decides `overloaded`. [architecture §5]
 */
import type { ChannelEffect } from './effects.ts';
import type { ChannelSettings } from './ports.ts';
import type { ChannelState, Line, OpenSend } from './state.ts';
import { bounds, wakeBy } from './state.ts';

/** Puts a new send into its recipient's line and starts what can start. */
export function enqueue(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  state.sends.set(send.messageId, send);
  lineOf(state, send.recipient).waiting.push(send);
  wakeBy(state, now + state.rules.maxQueueAgeMs);
  return startLine(state, send.recipient, now);
}

/** The call of `send` is over (or its answer no longer matters for the order): the next of its line may go. */
export function releaseLine(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const line = state.lines.get(send.recipient);
  if (line?.ahead === send) line.ahead = null;
  const effects = startLine(state, send.recipient, now);
  if (state.calls === bounds.calls - 1 && effects.length === 0) effects.push(...startAll(state, now));
  return effects;
}

export function pausePair(state: ChannelState, recipient: string, until: number): void {
  const line = lineOf(state, recipient);
  line.pausedUntil = Math.max(line.pausedUntil, until);
}

/** Starts whatever can start in every line, oldest lines first. */
export function startAll(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const recipient of state.lines.keys()) {
    if (state.calls >= bounds.calls) break;
    effects.push(...startLine(state, recipient, now));
  }
  return effects;
}

/** Claims another upstream call for a send that is already in the store. */
export function callAgain(
  state: ChannelState,
  send: OpenSend,
  settings: ChannelSettings,
  now: number,
): ChannelEffect {
  return call(state, send, settings, now, false);
}

function startLine(state: ChannelState, recipient: string, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const line = state.lines.get(recipient);
  if (line === undefined) return effects;
  while (line.waiting.length > 0 && state.settings !== null && !state.draining) {
    const blockedUntil = whenFree(state, line);
    if (blockedUntil > now) {
      wakeBy(state, blockedUntil);
      break;
    }
    if (state.calls >= bounds.calls) break; // the next finished call starts the oldest line
    const send = line.waiting.shift();
    if (send === undefined) break;
    line.ahead = send;
    effects.push(call(state, send, state.settings, now, true));
  }
  if (line.waiting.length === 0 && line.ahead === null && line.pausedUntil <= now)
    state.lines.delete(recipient);
  return effects;
}

function whenFree(state: ChannelState, line: Line): number {
  const behind = line.ahead === null ? 0 : line.ahead.attemptedAt + bounds.orderHoldMs;
  return Math.max(behind, line.pausedUntil, state.pausedUntil);
}

function call(
  state: ChannelState,
  send: OpenSend,
  settings: ChannelSettings,
  now: number,
  first: boolean,
): ChannelEffect {
  send.stage = 'calling';
  send.attemptedAt = now;
  send.nextTryAt = null;
  send.copies += 1;
  send.tries += 1;
  state.calls += 1;
  wakeBy(state, now + state.rules.sendQueuedAfterMs);
  // The call may run until a second copy would be due: a late answer is worth more than a second copy.
  return {
    effect: 'claim-and-call',
    send: { ...send },
    first,
    settings,
    timeoutMs: state.rules.sendResendAfterMs,
  };
}

function lineOf(state: ChannelState, recipient: string): Line {
  const known = state.lines.get(recipient);
  if (known !== undefined) return known;
  const line: Line = { waiting: [], ahead: null, pausedUntil: 0 };
  state.lines.set(recipient, line);
  return line;
}
