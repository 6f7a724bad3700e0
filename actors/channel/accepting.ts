import { kindOf } from '../../src/domain/channels/kinds.ts';
import type { BuiltEvent } from '../../src/domain/events/built.ts';
import { statusEventsOf } from './events.ts';
import type { TurnWrite } from './effects.ts';
import type { ChannelSettings } from './ports.ts';

/**
 * What follows when upstream takes a message: on chatapp its `message.sent`, on photoapp a synthetic `message.delivered`.
 * `at` in ms. [spec: Event types, Delivery status]
 */
export function acceptance(
  settings: ChannelSettings | null,
  send: { messageId: string; recipient: string },
  upstreamId: string,
  at: number,
): { writes: TurnWrite[]; events: BuiltEvent[] } {
  const { messageId, recipient } = send;
  // A fact is recorded even when the channel is gone.
  if (settings === null)
    return { writes: [{ write: 'recordAccepted', messageId, upstreamId, rank: 1 }], events: [] };
  const { rankOnAccept: rank, statusesOnAccept } = kindOf(settings.channel.channelType);
  const about = { messageId, recipient, at, errors: [] };
  return {
    writes: [{ write: 'recordAccepted', messageId, upstreamId, rank }],
    events: statusesOnAccept.flatMap((status) => statusEventsOf(settings, { ...about, status })),
  };
}
