import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import { findSendRefusal } from '../eligibility.ts';
import { findLimit } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { enqueue, tryAgainLater } from './queue.ts';
import { nobody } from './state.ts';
import type { OpenSend } from './state.ts';

type SendAsk = Extract<ChannelMessage, { type: 'send' }>;

/** [spec: Message send state] Nothing is stored until the send's turn comes: a refusal here means nothing was sent. */
export function onSend(state: ChannelState, message: SendAsk, { now, ask }: Turn): ChannelEffect[] {
  if (ask === null) return [];
  const known = state.sends.open.get(message.messageId);
  if (known !== undefined) return askedAgain(state, known, ask);
  const refusal = findSendRefusal(state, message.content, now);
  if (refusal !== null) return [{ effect: 'refuse', asks: [ask], ...refusal }];
  if (state.draining) return [{ effect: 'refuse', asks: [ask], code: 'unavailable', details: {} }];
  if (state.sends.open.size >= findLimit('sends', state.nodeFull))
    return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: tryAgainLater(state) }];
  return enqueue(state, newSend(message, ask, now), now);
}

/** The same send over a new link, or a retry of the client's request: no second message; it gets the answer of the first. */
function askedAgain(state: ChannelState, known: OpenSend, ask: number): ChannelEffect[] {
  switch (known.stage) {
    case 'calling':
      if (known.confirmed) return [{ effect: 'reply', asks: [ask], reply: { status: 'sent' } }];
      wakeBy(state, known.attemptedAt + state.rules.sendQueuedAfterMs);
      known.asks.push(ask);
      return [];
    case 'accepted':
    case 'failed':
      wakeBy(state, known.attemptedAt + state.rules.sendQueuedAfterMs);
      known.asks.push(ask);
      return [];
    case 'waiting':
    case 'claiming':
    case 'withdrawing':
    case 'postponing':
      known.asks.push(ask);
      return [];
    case 'deferred':
    case 'unconfirmed':
    case 'reconciling':
      return [{ effect: 'reply', asks: [ask], reply: { status: 'queued' } }];
    default:
      return known.stage satisfies never;
  }
}

function newSend({ messageId, recipient, content, requestId }: SendAsk, ask: number, now: number): OpenSend {
  return {
    messageId,
    recipient,
    person: recipient,
    content,
    stage: 'waiting',
    asks: [ask],
    recordedFor: nobody,
    toldQueued: false,
    requestId: requestId ?? null,
    arrivedAt: now,
    copies: 0,
    tries: 0,
    attemptedAt: 0,
    callBefore: null,
    copyAt: null,
    giveUpFrom: null,
    nextTryAt: null,
    heldUntil: 0,
    recording: false,
    onRecord: false,
    postponed: false,
    confirmed: false,
    upstreamId: null,
    refusal: null,
  };
}
