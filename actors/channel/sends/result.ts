/** The answer of one upstream call. [architecture §5] */
import { waitsForOperator } from '../../../src/rules/messages/operator-fault.ts';
import { deferDelayMs, jitterMs } from '../../../src/rules/messages/upstream-outcome.ts';
import type { EndedCall } from '../../../src/rules/messages/message.ts';
import { namesToldOf } from '../../../src/rules/messages/same-person.ts';
import { pickNames } from '../../../src/rules/messages/recipient-names.ts';
import type { SendReply } from '../../../src/rules/messages/send-reply.ts';
import type { Turn } from '../../runtime/actor.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, Reply, TurnWrite, EffectResult } from '../messages.ts';
import { noteAnswered, noteLearned } from '../learned-ids.ts';
import { statusTime } from '../status-times.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { dueAt } from './background.ts';
import { acceptance, attemptThatCounts, failSend, tellFailure } from './outcome.ts';
import { slowDown } from './pace.ts';
import { pausePair, releaseQueue, startWaitingForSlot } from './queue.ts';
import { forgetSend, moveSend, nobody } from './state.ts';
import type { OpenSend } from './state.ts';

type SendResult = Extract<EffectResult, { type: 'send-result' }>;
type Outcome = SendResult['outcome'];

export function onSendResult(
  state: ChannelState,
  { messageId, attempt, outcome }: SendResult,
  { now }: Turn,
): ChannelEffect[] {
  state.sends.calls -= 1;
  const send = state.sends.open.get(messageId);
  if (send === undefined || send.stage !== 'calling' || send.tries !== attempt)
    return [...lateFact(state, messageId, outcome, now), ...startWaitingForSlot(state, now)];
  const effects = settle(state, send, outcome, now);
  effects.push(...releaseQueue(state, send, now));
  return effects;
}

function settle(state: ChannelState, send: OpenSend, outcome: Outcome, now: number): ChannelEffect[] {
  const call = endedCall(send, outcome, now);
  if (outcome.outcome === 'accepted') return accepted(state, send, outcome, call, now);
  if (send.confirmed) {
    forgetSend(state, send.messageId); // an event has proved that the message was sent, whatever the call reports
    return [];
  }
  switch (outcome.outcome) {
    case 'refused': {
      send.copies -= 1; // definitely not sent: not a copy
      const { error, errorCode, needsReconnect } = outcome;
      return failSend(state, send, { error, errorCode, needsReconnect, call }, now);
    }
    case 'deferred':
      return deferred(state, send, outcome, call, now);
    case 'unknown':
      return unconfirmed(send, outcome, call);
    default:
      return outcome satisfies never;
  }
}

/** The send stays in memory until the acceptance is stored: a fact about it must find it meanwhile. */
function accepted(
  state: ChannelState,
  send: OpenSend,
  outcome: Extract<Outcome, { outcome: 'accepted' }>,
  call: EndedCall,
  now: number,
): ChannelEffect[] {
  const { messageId } = send;
  const { upstreamId } = outcome;
  moveSend(send, 'accepted');
  for (const { name, sameAs } of namesToldOf(send.recipient, outcome))
    state.names.note(state.channelId, name, sameAs);
  send.upstreamId = upstreamId;
  const at = statusTime(state, messageId, now, null);
  // The fields of the record already describe a first call completely.
  const logged = call.n === 1 ? undefined : call;
  const { writes, events, deliveries } = acceptance(state.settings, send, outcome, at, logged);
  const reply = answer(send, { status: 'sent', ...pickNames(outcome) });
  const report: EffectResult = { type: 'send-recorded', messageId };
  return [commitUntilStored(writes, { events, deliveries, settings: state.settings, reply, report })];
}

/** A longer pause demanded by upstream is cut to this, so that the send is tried again before it is given up. */
const maxPauseMs = 300_000;

function deferred(
  state: ChannelState,
  send: OpenSend,
  { error, errorCode, pause, pauseMs = 0 }: Extract<Outcome, { outcome: 'deferred' }>,
  call: EndedCall,
  now: number,
): ChannelEffect[] {
  const { messageId } = send;
  const isOurs = waitsForOperator(error);
  const delayMs = deferDelayMs(send.tries, isOurs ? 'operator' : pause);
  const pausedMs = Math.max(delayMs, Math.min(pauseMs, maxPauseMs));
  const nextTryAt = now + pausedMs + jitterMs(messageId, pause);
  moveSend(send, 'deferred');
  send.copies -= 1; // definitely not sent: not a copy
  send.nextTryAt = nextTryAt;
  send.refusal = { error, errorCode };
  // Nobody but the operator can end it: the time to give up starts with the first call that upstream judges. [operator-interface §4]
  if (isOurs) send.giveUpFrom = null;
  if (pause === 'pair') pausePair(state, send.person, nextTryAt);
  if (pause === 'channel' && !isOurs) slowDown(state.sends, now);
  if (pause === 'channel') state.sends.pausedUntil = Math.max(state.sends.pausedUntil, nextTryAt);
  const refused = { nextTryAt, error, errorCode, call, ...attemptThatCounts(send) };
  return [recordUnfinished(send, { write: 'recordDeferred', messageId, ...refused })];
}

function unconfirmed(
  send: OpenSend,
  { error, errorCode }: Extract<Outcome, { outcome: 'unknown' }>,
  call: EndedCall,
): ChannelEffect[] {
  moveSend(send, 'unconfirmed');
  if (errorCode !== undefined) send.refusal = { error, errorCode };
  return [recordUnfinished(send, { write: 'recordUnknown', messageId: send.messageId, call })];
}

function endedCall(send: OpenSend, outcome: Outcome, now: number): EndedCall {
  const { tries: n, attemptedAt: at, requestId } = send;
  const failure = outcome.outcome === 'accepted' ? noFailure : outcome;
  return {
    n,
    at,
    endedAt: now,
    outcome: outcome.outcome,
    error: failure.error,
    code: failure.errorCode ?? null,
    traceId: failure.traceId ?? null,
    ...(requestId === null ? {} : { requestId }),
  };
}

const noFailure = { error: null, errorCode: null, traceId: null };

/** The next claim compares with what this writes, so it waits until this is stored. */
export function recordUnfinished(send: OpenSend, write: TurnWrite): ChannelEffect {
  send.recording = true;
  const reply = answer(send, { status: 'queued' });
  return commitUntilStored([write], { reply, report: { type: 'send-recorded', messageId: send.messageId } });
}

export function onSendRecorded(state: ChannelState, messageId: string, { now }: Turn): ChannelEffect[] {
  const send = state.sends.open.get(messageId);
  if (send === undefined) return [];
  noteAnswered(state, send.recipient);
  switch (send.stage) {
    case 'accepted':
      return acceptanceRecorded(state, send);
    case 'failed':
      return failureRecorded(state, send, now);
    default:
      send.recording = false;
      send.recordedFor = nobody;
      wakeBy(state, dueAt(state, send));
      return [];
  }
}

const unknownRefusal = { error: 'The message could not be sent', errorCode: null };

/** A client that repeated its request meanwhile gets the same answer. */
function end(state: ChannelState, { messageId, asks }: OpenSend, reply: SendReply): ChannelEffect[] {
  forgetSend(state, messageId);
  return asks.length === 0 ? [] : [{ effect: 'reply', asks, reply }];
}

/** Whoever was answered `queued` meanwhile learns of the failure by the event. */
function failureRecorded(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const refusal = send.refusal ?? unknownRefusal;
  const told = end(state, send, { status: 'failed', ...refusal });
  return send.toldQueued ? [...told, ...tellFailure(state, send, refusal, now)] : told;
}

function acceptanceRecorded(state: ChannelState, send: OpenSend): ChannelEffect[] {
  const { upstreamId, recipient, arrivedAt } = send;
  if (upstreamId !== null) noteLearned(state, { upstreamId, recipient, arrivedAt });
  return end(state, send, { status: 'sent' });
}

/** The answer of a call that does not matter any more: only an acceptance is still a fact. [faults: 8] */
function lateFact(state: ChannelState, messageId: string, outcome: Outcome, now: number): ChannelEffect[] {
  if (outcome.outcome !== 'accepted') return [];
  const send = state.sends.open.get(messageId);
  if (send !== undefined) send.confirmed = true;
  const { writes } = acceptance(state.settings, { messageId, recipient: '', requestId: null }, outcome, now);
  return [commitUntilStored(writes)];
}

/** Takes the asks off the send; null when all were answered before. */
function answer(send: OpenSend, reply: SendReply): Reply | null {
  if (send.asks.length === 0) return null;
  const { asks } = send;
  send.asks = [];
  send.recordedFor = asks;
  return { asks, reply };
}
