import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect } from '../effects.ts';
import type { ChannelAsk } from '../messages.ts';
import { refusalOf } from '../eligibility.ts';
import { enqueue } from '../send-queue.ts';
import type { ChannelState } from '../state.ts';

type SendAsk = Extract<ChannelAsk, { type: 'send' }>;

/** [spec: Message send state] Nothing is stored until the send's turn comes: a refusal here means nothing was sent. */
export function onSend(state: ChannelState, message: SendAsk, { now, ask }: Turn): ChannelEffect[] {
  if (ask === null) return [];
  const refusal = refusalOf(state, now);
  if (refusal !== null) return [{ effect: 'refuse', ask, ...refusal }];
  if (state.draining) return [{ effect: 'refuse', ask, code: 'unavailable', facts: {} }];
  const known = state.sends.get(message.messageId);
  if (known !== undefined) {
    known.ask = ask; // asked again over a new link: the first asker is gone
    return [];
  }
  return enqueue(
    state,
    {
      messageId: message.messageId,
      recipient: message.recipient,
      content: message.content,
      stage: 'waiting',
      ask,
      arrivedAt: now,
      copies: 0,
      tries: 0,
      attemptedAt: 0,
      nextTryAt: null,
      confirmed: false,
    },
    now,
  );
}
