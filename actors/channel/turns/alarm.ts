/** Something may be due: sends that wait too long, copies, retries, webhooks, held facts. [architecture §5] */
import type { Turn } from '../../runtime/actor.ts';
import { wakeDeliveries } from '../deliveries.ts';
import type { ChannelEffect } from '../effects.ts';
import { operableSettings } from '../eligibility.ts';
import { failSend } from '../failing.ts';
import { expireHeld } from '../held.ts';
import { callAgain, startAll } from '../send-queue.ts';
import type { ChannelState, OpenSend } from '../state.ts';
import { bounds, wakeBy } from '../state.ts';

export function onAlarm(state: ChannelState, { now }: Turn): ChannelEffect[] {
  state.wakeAt = Infinity;
  const effects: ChannelEffect[] = [];
  for (const send of state.sends.values()) effects.push(...lookAt(state, send, now));
  effects.push(...startAll(state, now), ...expireHeld(state, now), ...wakeDeliveries(state, now));
  return effects;
}

function lookAt(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  switch (send.stage) {
    case 'waiting':
      return refuseIfTooOld(state, send, now);
    case 'calling':
      return answerIfSlow(state, send, now);
    case 'deferred':
    case 'unconfirmed':
      return finishInBackground(state, send, now);
  }
}

/** Never claimed, so nothing was sent: 503. */
function refuseIfTooOld(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const until = send.arrivedAt + state.rules.maxQueueAgeMs;
  if (until > now) {
    wakeBy(state, until);
    return [];
  }
  state.sends.delete(send.messageId);
  const line = state.lines.get(send.recipient);
  if (line !== undefined) line.waiting = line.waiting.filter((waiting) => waiting !== send);
  return send.ask === null ? [] : [{ effect: 'refuse', ask: send.ask, code: 'overloaded', facts: {} }];
}

/** [spec: upstream slower than about 30 s → queued] The call goes on; its answer is recorded when it comes. */
function answerIfSlow(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  if (send.ask === null) return [];
  const until = send.attemptedAt + state.rules.sendQueuedAfterMs;
  if (until > now) {
    wakeBy(state, until);
    return [];
  }
  const { ask } = send;
  send.ask = null;
  return [{ effect: 'reply', ask, reply: { status: 'queued' } }];
}

function finishInBackground(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const giveUpAt = send.arrivedAt + state.rules.sendGiveUpAfterMs;
  if (giveUpAt <= now) return failSend(state, send, 'Upstream never confirmed the message', null, now);
  wakeBy(state, giveUpAt);
  const dueAt = whenDue(state, send);
  if (dueAt > now) {
    wakeBy(state, dueAt);
    return [];
  }
  if (state.draining) return [];
  // [faults: 52] Licence and channel are looked at again before each copy.
  const settings = operableSettings(state, now);
  if (settings === null) {
    // A first copy that may have gone out can still be confirmed until the end.
    return send.copies > 0 ? [] : failSend(state, send, 'The channel can no longer send', null, now);
  }
  if (state.calls >= bounds.calls) {
    wakeBy(state, now + 1_000);
    return [];
  }
  return [callAgain(state, send, settings, now)];
}

/** Two copies at most: after the second, only confirmation or the end. [faults: I2] */
function whenDue(state: ChannelState, send: OpenSend): number {
  if (send.stage === 'deferred') return Math.max(send.nextTryAt ?? 0, state.pausedUntil);
  return send.copies >= 2 ? Infinity : send.attemptedAt + state.rules.sendResendAfterMs;
}
