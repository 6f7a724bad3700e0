import type { ChannelEffect } from '../messages.ts';
import { noteAnswered, noteLearned } from '../learned-ids.ts';
import type { ChannelState } from '../state.ts';
import { releaseQueue } from './queue.ts';
import { forgetSend } from './state.ts';
import type { OpenSend } from './state.ts';

/** An event with our id of the message is stored: no copy is due any more, and waiting clients are answered `sent`. */
export function confirmSend(
  state: ChannelState,
  messageId: string,
  upstreamId: string,
  now: number,
): ChannelEffect[] {
  const send = state.sends.open.get(messageId);
  if (send === undefined || !canBeConfirmed(send)) return [];
  const effects: ChannelEffect[] = [];
  if (send.asks.length > 0) effects.push({ effect: 'reply', asks: send.asks, reply: { status: 'sent' } });
  send.asks = [];
  send.confirmed = true;
  if (send.stage !== 'calling' && send.stage !== 'claiming') forgetSend(state, messageId);
  const { recipient, arrivedAt } = send;
  effects.push(...releaseQueue(state, send, now));
  noteLearned(state, { upstreamId, recipient, arrivedAt });
  noteAnswered(state, recipient);
  return effects;
}

/** A call of the send may have gone out, and its answer is not known. */
function canBeConfirmed({ stage }: OpenSend): boolean {
  return (
    stage === 'claiming' ||
    stage === 'calling' ||
    stage === 'deferred' ||
    stage === 'unconfirmed' ||
    stage === 'reconciling'
  );
}
