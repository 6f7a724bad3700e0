/**
 * How a claim ends. One that is not certain is never guessed: a first one is made void before its client is told 503, a later
 * one is read again from the store. [architecture §5; faults: I3, 23]
 */
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect } from '../effects.ts';
import type { EffectResult, SendReply } from '../messages.ts';
import type { KnownMessage } from '../ports.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { releaseLine, startStarved } from './queue.ts';
import { markUnsure } from './reload.ts';
import { forgetSend } from './state.ts';
import type { OpenSend } from './state.ts';

/** On record: a slow call may be answered `queued` from now on. */
export function onClaimed(state: ChannelState, messageId: string): ChannelEffect[] {
  const send = state.sends.open.get(messageId);
  if (send?.stage !== 'claiming') return [];
  send.stage = 'calling';
  if (send.asks.length > 0) wakeBy(state, send.attemptedAt + state.rules.sendQueuedAfterMs);
  return [];
}

export function onClaimLost(
  state: ChannelState,
  { messageId, found }: Extract<EffectResult, { type: 'claim-lost' }>,
  { now }: Turn,
): ChannelEffect[] {
  state.sends.calls -= 1;
  const send = state.sends.open.get(messageId);
  if (send?.stage !== 'claiming') return startStarved(state, now);
  const effects = isFirst(send) ? answerByHolder(state, send, found) : markUnsure(state, send);
  effects.push(...releaseLine(state, send, now));
  return effects;
}

export function onClaimFailed(state: ChannelState, messageId: string, { now }: Turn): ChannelEffect[] {
  state.sends.calls -= 1;
  const send = state.sends.open.get(messageId);
  if (send?.stage !== 'claiming') return startStarved(state, now);
  const effects = isFirst(send) ? withdraw(state, send) : markUnsure(state, send);
  effects.push(...releaseLine(state, send, now));
  return effects;
}

/** The insert is made void; only then is it certain that nothing is sent. */
function withdraw(state: ChannelState, send: OpenSend): ChannelEffect[] {
  const { settings } = state;
  if (settings === null) return refuse(state, send); // no such channel: nobody takes the message up
  send.stage = 'withdrawing';
  wakeBy(state, send.attemptedAt + state.rules.maxQueueAgeMs);
  return [{ effect: 'withdraw', send: { ...send }, settings }];
}

export function onWithdrawn(
  state: ChannelState,
  { messageId, found }: Extract<EffectResult, { type: 'withdrawn' }>,
): ChannelEffect[] {
  const send = state.sends.open.get(messageId);
  return send?.stage === 'withdrawing' ? answerByHolder(state, send, found) : [];
}

/** The id was taken before: the answer is that message's state, `queued` at the latest. [architecture §5] */
function answerByHolder(state: ChannelState, send: OpenSend, found: KnownMessage | null): ChannelEffect[] {
  const reply = found === null ? null : replyFor(found);
  if (reply === null) return refuse(state, send);
  const { asks } = send;
  send.asks = [];
  const answered: ChannelEffect = { effect: 'reply', asks, reply };
  if (reply.status === 'queued') {
    Object.assign(send, { copies: 0, tries: 0, attemptedAt: 0 }); // nothing of it is ours
    return [answered, ...markUnsure(state, send)];
  }
  forgetSend(state, send.messageId);
  return [answered];
}

/** null: an abandoned marker, nothing was sent and never will be. */
function replyFor({ state }: KnownMessage): SendReply | null {
  switch (state) {
    case 'sent':
      return { status: 'sent' };
    case 'sending':
    case 'queued':
      return { status: 'queued' };
    case 'failed':
      return { status: 'failed', error: 'The message could not be sent', errorCode: null };
    case 'abandoned':
      return null;
    default:
      return state satisfies never;
  }
}

function refuse(state: ChannelState, { messageId, asks }: OpenSend): ChannelEffect[] {
  forgetSend(state, messageId);
  return asks.length === 0 ? [] : [{ effect: 'refuse', asks, code: 'unavailable', details: {} }];
}

function isFirst({ tries }: OpenSend): boolean {
  return tries === 1;
}
