/** The answer of one upstream call, and the two ways a claim can end without one. [architecture §5] */
import { kindOf } from '../../../src/domain/channels/index.ts';
import { deferDelayMs } from '../../../src/domain/messages/index.ts';
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, Reply } from '../effects.ts';
import { statusEventsOf } from '../events.ts';
import { failSend } from '../failing.ts';
import { joinHeld } from '../held.ts';
import type { ChannelNews, SendReply } from '../messages.ts';
import { pausePair, releaseLine } from '../send-queue.ts';
import type { ChannelState, OpenSend } from '../state.ts';
import { bounds, wakeBy } from '../state.ts';

type SendResult = Extract<ChannelNews, { type: 'send-result' }>;
type Outcome = SendResult['outcome'];

export function onSendResult(
  state: ChannelState,
  { messageId, attempt, outcome }: SendResult,
  turn: Turn,
): ChannelEffect[] {
  const { now } = turn;
  state.calls -= 1;
  const send = state.sends.get(messageId);
  if (send === undefined || send.stage !== 'calling' || send.tries !== attempt)
    return lateFact(state, messageId, outcome);
  const effects = settle(state, send, outcome, now);
  effects.push(...releaseLine(state, send, now));
  return effects;
}

function settle(state: ChannelState, send: OpenSend, outcome: Outcome, now: number): ChannelEffect[] {
  if (outcome.outcome === 'accepted') return accepted(state, send, outcome.upstreamId, now);
  if (send.confirmed) {
    state.sends.delete(send.messageId); // an event said it was sent: that stands, whatever the call says
    return [];
  }
  switch (outcome.outcome) {
    case 'refused':
      return failSend(state, send, outcome.error, outcome.errorCode, now);
    case 'deferred':
      return deferred(state, send, outcome, now);
    case 'unknown':
      return unconfirmed(state, send);
  }
}

function accepted(state: ChannelState, send: OpenSend, upstreamId: string, now: number): ChannelEffect[] {
  state.sends.delete(send.messageId);
  const { settings } = state;
  if (settings === null) return [];
  const kind = kindOf(settings.channel.channelType);
  const about = { messageId: send.messageId, recipient: send.recipient, at: now, errors: [] };
  const events = kind.statusesOnAccept.flatMap((status) => statusEventsOf(settings, { ...about, status }));
  return [
    {
      effect: 'record',
      writes: [{ write: 'recordAccepted', messageId: send.messageId, upstreamId, rank: kind.rankOnAccept }],
      events,
      settings,
      reply: answer(send, { status: 'sent' }),
    },
    ...joinHeld(state, { upstreamId, recipient: send.recipient, attemptedAt: send.attemptedAt }, now),
  ];
}

function deferred(
  state: ChannelState,
  send: OpenSend,
  { error, errorCode, pause }: Extract<Outcome, { outcome: 'deferred' }>,
  now: number,
): ChannelEffect[] {
  const nextTryAt = now + deferDelayMs(send.tries, pause);
  send.stage = 'deferred';
  send.copies -= 1; // definitely not sent: not a copy
  send.nextTryAt = nextTryAt;
  if (pause === 'pair') pausePair(state, send.recipient, nextTryAt);
  if (pause === 'channel') state.pausedUntil = Math.max(state.pausedUntil, nextTryAt);
  wakeBy(state, nextTryAt);
  return [
    {
      effect: 'record',
      writes: [{ write: 'recordDeferred', messageId: send.messageId, nextTryAt, error, errorCode }],
      events: [],
      settings: null,
      reply: answer(send, { status: 'queued' }),
    },
  ];
}

function unconfirmed(state: ChannelState, send: OpenSend): ChannelEffect[] {
  send.stage = 'unconfirmed';
  wakeBy(state, send.attemptedAt + state.rules.sendResendAfterMs);
  return [
    {
      effect: 'record',
      writes: [{ write: 'recordUnknown', messageId: send.messageId }],
      events: [],
      settings: null,
      reply: answer(send, { status: 'queued' }),
    },
  ];
}

/** The answer of a call nobody waits for any more: only an acceptance still is a fact. [faults: 8] */
function lateFact(state: ChannelState, messageId: string, outcome: Outcome): ChannelEffect[] {
  if (outcome.outcome !== 'accepted' || state.settings === null) return [];
  const rank = kindOf(state.settings.channel.channelType).rankOnAccept;
  const send = state.sends.get(messageId);
  if (send !== undefined) send.confirmed = true;
  return [
    {
      effect: 'record',
      writes: [{ write: 'recordAccepted', messageId, upstreamId: outcome.upstreamId, rank }],
      events: [],
      settings: null,
      reply: null,
    },
  ];
}

/** The claim did not apply: the id was taken, or an event confirmed the message meanwhile. */
export function onClaimLost(state: ChannelState, messageId: string, { now }: Turn): ChannelEffect[] {
  state.calls -= 1;
  const send = state.sends.get(messageId);
  if (send === undefined) return [];
  state.sends.delete(messageId);
  const effects = releaseLine(state, send, now);
  if (send.ask !== null) effects.push({ effect: 'refuse', ask: send.ask, code: 'unavailable', facts: {} });
  return effects;
}

/** The store could not be asked. A first claim is refused: nothing was sent. A later one is tried again. */
export function onClaimFailed(state: ChannelState, messageId: string, { now }: Turn): ChannelEffect[] {
  state.calls -= 1;
  const send = state.sends.get(messageId);
  if (send === undefined) return [];
  send.copies -= 1;
  send.tries -= 1;
  if (send.tries === 0) {
    state.sends.delete(messageId);
    const refused: ChannelEffect[] =
      send.ask === null ? [] : [{ effect: 'refuse', ask: send.ask, code: 'unavailable', facts: {} }];
    return [...refused, ...releaseLine(state, send, now)];
  }
  send.stage = 'deferred';
  send.nextTryAt = now + bounds.postponeMs;
  wakeBy(state, send.nextTryAt);
  return [];
}

/** Takes the asker off the send; null when the client was answered before. */
function answer(send: OpenSend, reply: SendReply): Reply | null {
  if (send.ask === null) return null;
  const { ask } = send;
  send.ask = null;
  return { ask, reply };
}
