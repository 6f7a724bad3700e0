/**
 * While upstream demands a pause, a send is stored and answered `queued`. It is called when the pause is over, before later sends to its
 * recipient. [operator-interface §4]
 */
import type { ChannelEffect } from '../messages.ts';
import type { ChannelSettings } from '../ports/store.ts';
import type { OpenSend, RecipientQueue } from './state.ts';
import { moveSend } from './state.ts';

const paused = { error: 'The message waits: upstream limits the rate of this channel', errorCode: null };

export function postpone(
  send: OpenSend,
  queue: RecipientQueue,
  settings: ChannelSettings,
  until: number,
  now: number,
): ChannelEffect[] {
  if (send.content === null) return [];
  moveSend(send, 'postponing');
  send.attemptedAt = now;
  send.nextTryAt = until;
  send.refusal = paused;
  send.postponed = true;
  queue.postponed += 1;
  return [{ effect: 'postpone', send: { ...send }, content: send.content, settings }];
}
