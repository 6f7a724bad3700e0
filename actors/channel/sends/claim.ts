/**
 * How a claim ends. An uncertain claim is never guessed: a first claim is made void before its client gets 503, a later one is read again
 * from the store. [architecture §5; faults: I3, 23]
 */
import { replyFor } from '../../../src/rules/messages/send-reply.ts';
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import type { KnownMessage } from '../../../src/storage/journal/channel-journal.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { dueAt } from './background.ts';
import { releaseQueue, startWaitingForSlot, rejectSend } from './queue.ts';
import { reconcile } from './reload.ts';
import { forgetSend, moveSend, endPostponement } from './state.ts';
import type { OpenSend } from './state.ts';

type ClaimEnded = Extract<EffectResult, { type: 'claim-ended' }>;
type PostponeEnded = Extract<EffectResult, { type: 'postpone-ended' }>;

export function onClaimEnded(state: ChannelState, ended: ClaimEnded, { now }: Turn): ChannelEffect[] {
  const send = state.sends.open.get(ended.messageId);
  switch (ended.outcome) {
    case 'claimed':
      claimed(state, send);
      return [];
    case 'withdrawn':
      return send?.stage === 'withdrawing' ? answerByHolder(state, send, ended.found) : [];
    case 'lost':
    case 'unanswered': {
      state.sends.calls -= 1;
      if (send?.stage !== 'claiming') return startWaitingForSlot(state, now);
      const effects = notClaimed(state, send, ended);
      effects.push(...releaseQueue(state, send, now));
      return effects;
    }
    default:
      return ended satisfies never;
  }
}

export function onPostponeEnded(state: ChannelState, ended: PostponeEnded): ChannelEffect[] {
  const send = state.sends.open.get(ended.messageId);
  if (send?.stage !== 'postponing') return [];
  if (ended.outcome !== 'postponed') endPostponement(state.sends, send);
  switch (ended.outcome) {
    case 'postponed': {
      const { asks } = send;
      moveSend(send, 'deferred');
      send.asks = [];
      send.onRecord = true;
      wakeBy(state, dueAt(state, send));
      return [{ effect: 'reply', asks, reply: { status: 'queued' } }];
    }
    case 'lost':
      return answerByHolder(state, send, ended.found);
    case 'unanswered':
      return withdraw(state, send);
    default:
      return ended satisfies never;
  }
}

/** The claim is stored: a slow call may be answered `queued` from now on. */
function claimed(state: ChannelState, send: OpenSend | undefined): void {
  if (send?.stage !== 'claiming') return;
  moveSend(send, 'calling');
  send.onRecord = true;
  wakeBy(state, send.attemptedAt + state.rules.sendQueuedAfterMs);
}

function notClaimed(state: ChannelState, send: OpenSend, ended: ClaimEnded): ChannelEffect[] {
  if (send.onRecord) return reconcile(state, send);
  return 'found' in ended ? answerByHolder(state, send, ended.found) : withdraw(state, send);
}

/** Makes the insert void; only then it is certain that nothing is sent. */
function withdraw(state: ChannelState, send: OpenSend): ChannelEffect[] {
  const { settings } = state;
  if (settings === null) return refuse(state, send); // the channel does not exist, so nobody will load the message
  moveSend(send, 'withdrawing');
  wakeBy(state, send.attemptedAt + state.rules.maxQueueAgeMs);
  return [{ effect: 'withdraw', send: { ...send }, settings }];
}

/** Another message has the id: the answer is its state, `queued` at the latest. [architecture §5] */
function answerByHolder(state: ChannelState, send: OpenSend, found: KnownMessage | null): ChannelEffect[] {
  const reply = found === null ? null : replyFor({ state: found.state });
  if (reply === null) return refuse(state, send);
  const { asks } = send;
  send.asks = [];
  const answered: ChannelEffect = { effect: 'reply', asks, reply };
  if (reply.status === 'queued') {
    Object.assign(send, { copies: 0, tries: 0, attemptedAt: 0 }); // the stored copy is not of this owner
    return [answered, ...reconcile(state, send)];
  }
  forgetSend(state, send.messageId);
  return [answered];
}

function refuse(state: ChannelState, send: OpenSend): ChannelEffect[] {
  return rejectSend(state, send, { code: 'unavailable', details: {} });
}
