import { sealContext } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { readMessageType } from '../../rules/messages/content.ts';
import type { Content } from '../../rules/messages/content.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import { abandonedMarker, newMessage } from '../../rules/messages/message.ts';
import { replyFor } from '../../rules/messages/send-reply.ts';
import type { SendReply } from '../../rules/messages/send-reply.ts';
import { StoreUnavailable, fault } from '../../kernel/faults.ts';
import type { OwnerLost } from '../../kernel/faults.ts';
import type { WorldParts } from '../world.ts';

/** Epoch 0, below every owner's. */
const epochBelowOwners = 0;

interface SettledAs {
  messageId: string;
  recipient: string;
  requestId?: string;
}

/**
 * Answers a send that no owner answered in time: stores it for the next owner, unless an owner has inserted or abandoned the id; the
 * first insert of the id decides. null: nothing was sent and never will be. Throws 503 if no owner had the send and the store
 * certainly did not take it, else `lost`: then it is unknown whether the message will be sent. [architecture §5; faults: I3, 6, 23]
 */
export function putOnRecord(
  world: WorldParts,
  channel: Channel,
  send: SettledAs & { content: Content },
  lost: OwnerLost,
): Promise<SendReply | null> {
  const { messageId: id, recipient, content } = send;
  const now = world.clock.now();
  const sealed = world.sealer.seal(Buffer.from(JSON.stringify(content)), sealContext.content(channel.id, id));
  const own = { id, recipient, state: 'queued', content: sealed, epoch: epochBelowOwners } as const;
  const messageType = readMessageType(content);
  const message = newMessage(channel, { ...own, messageType, attemptedAt: now, createdAt: now });
  return settle(world, { ...message, nextTryAt: now }, send, (error) =>
    error.applied === 'no' && !lost.isInHand ? fault('unavailable') : lost,
  );
}

/**
 * Answers a repeated send that its owner refused, from the store. null: nothing was sent and never will be, because the id is
 * abandoned. Throws `refusal` if the store does not answer. [architecture §5]
 */
export function settleRefused(
  world: WorldParts,
  channel: Channel,
  send: SettledAs,
  refusal: Error,
): Promise<SendReply | null> {
  const { messageId: id, recipient } = send;
  const now = world.clock.now();
  const marker = abandonedMarker(channel, {
    id,
    recipient,
    attemptedAt: now,
    createdAt: now,
    epoch: epochBelowOwners,
  });
  return settle(world, marker, send, () => refusal);
}

async function settle(
  world: WorldParts,
  message: OutboundMessage,
  { messageId, requestId }: SettledAs,
  unknown: (error: StoreUnavailable) => Error,
): Promise<SendReply | null> {
  world.counters.increment('sends_settled_total');
  try {
    return replyFor(await world.stores.sends.insertUnlessTaken(message));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const ids = { channel: message.channelId, message: messageId, request_id: requestId };
    world.log.error({ ...ids, error }, 'send.not-settled');
    throw unknown(error);
  }
}
