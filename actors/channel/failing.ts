import type { ChannelEffect } from './effects.ts';
import { statusEventsOf } from './events.ts';
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
  state.sends.delete(send.messageId);
  const { settings } = state;
  const record = { write: 'recordFailed', messageId: send.messageId, error, errorCode } as const;
  if (send.ask !== null || settings === null) {
    const reply =
      send.ask === null ? null : { ask: send.ask, reply: { status: 'failed', error, errorCode } as const };
    return [{ effect: 'record', writes: [record], events: [], settings: null, reply }];
  }
  const bucket = Math.floor(now / state.rules.digestIntervalMs);
  const { accountId } = settings.channel;
  const events = statusEventsOf(settings, {
    status: 'failed',
    messageId: send.messageId,
    recipient: send.recipient,
    at: now,
    errors: errorCode === null ? [] : [{ code: errorCode, title: error }],
  });
  return [
    {
      effect: 'record',
      writes: [
        record,
        {
          write: 'addMail',
          mail: {
            id: `delivery-digest:${accountId}:${bucket}`,
            accountId,
            kind: 'delivery-digest',
            subject: 'Messages that could not be delivered',
            line: `${new Date(now).toISOString()} channel ${state.channelId} message ${send.messageId}: ${error}`,
            sendAfter: (bucket + 1) * state.rules.digestIntervalMs,
            createdAt: now,
          },
        },
      ],
      events,
      settings,
      reply: null,
    },
  ];
}
