import type { Channel } from '../channels/channel.ts';
import type { OutboundMessage } from './message.ts';

type Own = Pick<OutboundMessage, 'id' | 'recipient' | 'state' | 'attemptedAt' | 'epoch' | 'createdAt'> &
  Partial<
    Pick<
      OutboundMessage,
      | 'origin'
      | 'messageType'
      | 'content'
      | 'rank'
      | 'statusAt'
      | 'sentAt'
      | 'deliveredAt'
      | 'copies'
      | 'tries'
      | 'upstreamIds'
    >
  >;

/** A new message with the values of `own` and defaults. Every send makes one: an object literal is faster than spreads. */
export function newMessage(
  channel: Pick<Channel, 'id' | 'accountId' | 'channelType'>,
  own: Own,
): OutboundMessage {
  return {
    id: own.id,
    channelId: channel.id,
    accountId: channel.accountId,
    channelType: channel.channelType,
    origin: own.origin ?? 'service',
    recipient: own.recipient,
    messageType: own.messageType ?? null,
    content: own.content ?? null,
    state: own.state,
    rank: own.rank ?? 0,
    deliveryFailed: false,
    statusAt: own.statusAt ?? null,
    sentAt: own.sentAt ?? null,
    deliveredAt: own.deliveredAt ?? null,
    readAt: null,
    failedAt: null,
    copies: own.copies ?? 0,
    tries: own.tries ?? 0,
    attemptedAt: own.attemptedAt,
    nextTryAt: null,
    upstreamIds: own.upstreamIds ?? [],
    calls: null,
    error: null,
    errorCode: null,
    epoch: own.epoch,
    createdAt: own.createdAt,
  };
}

/** The marker that claims an id without a send: nothing was sent under it and never will be. [architecture §5] */
export function abandonedMarker(
  channel: Pick<Channel, 'id' | 'accountId' | 'channelType'>,
  own: Omit<Own, 'state'>,
): OutboundMessage {
  return newMessage(channel, { ...own, state: 'abandoned' });
}
