/** Alarm: sends whose wait is over. [spec: Message send state; architecture §5] */
import type { ChannelEffect } from '../messages.ts';
import { findSendRefusal } from '../eligibility.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { finishInBackground } from './background.ts';
import { forgetPairs, isPaced, postpone } from './pace.ts';
import { startAll, tryAgainLater, rejectSend } from './queue.ts';
import { recheck } from './reload.ts';
import { findQueue, nobody } from './state.ts';
import type { OpenSend } from './state.ts';

export function wakeSends(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const send of state.sends.open.values()) {
    effects.push(...lookAt(state, send, now));
    if (effects.length < limits.turn) continue;
    wakeBy(state, now + 1);
    break;
  }
  effects.push(...startAll(state, now), ...recheck(state, now));
  forgetPairs(state, now);
  return effects;
}

function lookAt(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  switch (send.stage) {
    case 'waiting':
      return refuseIfTooOld(state, send, now);
    case 'withdrawing':
      return refuseIfStoreIsDown(state, send, now);
    case 'calling':
      return answerIfSlow(state, send, now);
    case 'accepted':
    case 'failed':
      return answerIfNotRecorded(state, send, now);
    case 'deferred':
    case 'unconfirmed':
      return send.recording ? answerIfNotRecorded(state, send, now) : finishInBackground(state, send, now);
    case 'claiming':
    case 'postponing':
    case 'reconciling':
      return []; // the next step follows the store's answer
    default:
      return send.stage satisfies never;
  }
}

/** The send was never claimed, so nothing was sent: 503, or the reason why the channel may not send it. */
function refuseIfTooOld(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const until = send.arrivedAt + state.rules.maxQueueAgeMs;
  if (until > now) {
    wakeBy(state, until);
    return [];
  }
  const queue = findQueue(state.sends, send.person);
  queue.waiting = queue.waiting.filter((waiting) => waiting !== send);
  // [faults: 52] Licence and tier may have changed during the wait.
  const refusal = findSendRefusal(state, send.content, now);
  if (refusal !== null) return rejectSend(state, send, refusal);
  const { settings } = state;
  // The wait is due to upstream's pace, not to an overload of ours.
  if (isPaced(state.sends, now) && settings !== null && !state.draining)
    return postpone(state.sends, send, { settings, until: now, isNumberPaused: false }, now);
  return rejectSend(state, send, { code: 'overloaded', details: tryAgainLater(state) });
}

/**
 * The store was asked to void the claim and does not answer: the client gets 503 now, and the voiding continues. Only if this process also
 * dies before the store is back can the message be sent, if its claim was stored. [faults: I3, 23]
 */
function refuseIfStoreIsDown(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const asks = takeAsks(state, send, send.attemptedAt + state.rules.maxQueueAgeMs, now);
  return asks.length === 0 ? [] : [{ effect: 'refuse', asks, code: 'unavailable', details: {} }];
}

/** [spec: Message send state] The call continues; its answer is recorded when it comes. */
function answerIfSlow(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const asks = takeAsks(state, send, send.attemptedAt + state.rules.sendQueuedAfterMs, now);
  return asks.length === 0 ? [] : [{ effect: 'reply', asks, reply: { status: 'queued' } }];
}

/**
 * The outcome is known and the store does not take it. The claim is stored, so the message has its end also if this process dies.
 * [faults: 294]
 */
function answerIfNotRecorded(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const asks = [...send.recordedFor, ...send.asks];
  if (asks.length === 0) return [];
  const until = send.attemptedAt + state.rules.sendQueuedAfterMs;
  if (until > now) {
    wakeBy(state, until);
    return [];
  }
  send.toldQueued ||= send.recordedFor.length > 0;
  send.recordedFor = nobody;
  send.asks = [];
  return [{ effect: 'reply', asks, reply: { status: 'queued' } }];
}

/** Takes the asks that have waited until `until`; they get no other answer. */
function takeAsks(state: ChannelState, send: OpenSend, until: number, now: number): number[] {
  if (until > now) {
    wakeBy(state, until);
    return [];
  }
  const { asks } = send;
  send.asks = [];
  return asks;
}
