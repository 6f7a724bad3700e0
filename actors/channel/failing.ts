import { upstreamWordsIn } from '../../src/domain/messages/error-codes.ts';
import type { ChannelEffect, TurnWrite } from './effects.ts';
import { statusEventsOf } from './events.ts';
import type { EffectResult } from './messages.ts';
import type { ChannelSettings } from './ports.ts';
import type { ChannelState, OpenSend } from './state.ts';

/**
 * Ends a send as `failed`. Its client learns it from the answer while it still waits; afterwards the channel's owner gets
 * the delivery digest, and chatapp its `message.failed`. [spec: Message send state]
 */
export function failSend(
  state: ChannelState,
  send: OpenSend,
  error: string,
  errorCode: number | null,
  now: number,
): ChannelEffect[] {
  const { settings } = state;
  const { messageId, recipient, asks } = send;
  Object.assign(send, { stage: 'failed', refusal: { error, errorCode }, asks: [] });
  const record: TurnWrite = { write: 'recordFailed', messageId, error, errorCode };
  const after: EffectResult = { type: 'send-recorded', messageId };
  const ended = {
    effect: 'record',
    writes: [record],
    settings,
    reply: null,
    after,
  } satisfies Partial<ChannelEffect>;
  if (asks.length > 0)
    return [{ ...ended, events: [], reply: { asks, reply: { status: 'failed', error, errorCode } } }];
  if (settings === null) return [{ ...ended, events: [] }];
  // [spec: message.failed] `error` is ours, `errors` are upstream's words.
  const errors = errorCode === null ? [] : [{ code: errorCode, title: upstreamWordsIn(error) }];
  const events = statusEventsOf(settings, { status: 'failed', messageId, recipient, at: now, errors, error });
  const writes = [record, digestLine(state, settings, messageId, error, now)];
  return [{ ...ended, writes, events }];
}

/** [operator-interface §2 DIGEST_INTERVAL_MS: at most one mail per account per interval] */
function digestLine(
  state: ChannelState,
  { channel: { accountId } }: ChannelSettings,
  messageId: string,
  error: string,
  now: number,
): TurnWrite {
  const bucket = Math.floor(now / state.rules.digestIntervalMs);
  return {
    write: 'addMail',
    mail: {
      id: `delivery-digest:${accountId}:${bucket}`,
      accountId,
      kind: 'delivery-digest',
      subject: 'Messages that could not be delivered',
      line: `${new Date(now).toISOString()} channel ${state.channelId} message ${messageId}: ${error}`,
      sendAfter: (bucket + 1) * state.rules.digestIntervalMs,
      createdAt: now,
    },
  };
}
