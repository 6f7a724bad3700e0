import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import { readMessageType } from '../../domain/messages/content.ts';
import type { Content } from '../../domain/messages/content.ts';
import type { OutboundMessage } from '../../domain/messages/message.ts';
import { abandonedMarker, newMessage } from '../../domain/messages/new-message.ts';
import { replyFor } from '../../domain/messages/send-reply.ts';
import type { SendReply } from '../../domain/messages/send-reply.ts';
import { StoreUnavailable, fault } from '../../kernel/faults.ts';
import type { OwnerLost } from '../../kernel/faults.ts';
import type { UseCasePorts } from '../deps.ts';

/** The epoch below every owner's. */
const nobody = 0;

interface SettledAs {
  messageId: string;
  recipient: string;
  requestId?: string;
}

/**
 * The answer to a send that no owner has answered in time: it is on record for the next one, unless an owner has it or has made it void,
 * which the first insert of the id decides. null when nothing was sent and never will be. Throws 503 when no owner ever had
 * it and the store is certain not to have it either, else `lost`: whether something will be sent is open then. [architecture §5; faults: I3, 6, 23]
 */
export function putOnRecord(
  deps: UseCasePorts,
  channel: Channel,
  send: SettledAs & { content: Content },
  lost: OwnerLost,
): Promise<SendReply | null> {
  const { messageId: id, recipient, content } = send;
  const now = deps.clock.now();
  const sealed = deps.sealer.seal(Buffer.from(JSON.stringify(content)), sealContext.content(channel.id, id));
  const own = { id, recipient, state: 'queued', content: sealed, epoch: nobody } as const;
  const messageType = readMessageType(content);
  const message = newMessage(channel, { ...own, messageType, attemptedAt: now, createdAt: now });
  return settle(deps, { ...message, nextTryAt: now }, send, (error) =>
    error.applied === 'no' && !lost.isInHand ? fault('unavailable') : lost,
  );
}

/**
 * The answer to a send that is asked for again under its id and that its owner refuses: what the store says. null when nothing was
 * sent and never will be: its id is void now. Throws `refusal` when the store can't say. [architecture §5]
 */
export function settleRefused(
  deps: UseCasePorts,
  channel: Channel,
  send: SettledAs,
  refusal: Error,
): Promise<SendReply | null> {
  const { messageId: id, recipient } = send;
  const now = deps.clock.now();
  const marker = abandonedMarker(channel, { id, recipient, attemptedAt: now, createdAt: now, epoch: nobody });
  return settle(deps, marker, send, () => refusal);
}

async function settle(
  deps: UseCasePorts,
  message: OutboundMessage,
  { messageId, requestId }: SettledAs,
  unknown: (error: StoreUnavailable) => Error,
): Promise<SendReply | null> {
  deps.counters.increment('sends_settled_total');
  try {
    return replyFor(await deps.stores.sends.insertUnlessTaken(message));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const ids = { channel: message.channelId, message: messageId, request_id: requestId };
    deps.log.error({ ...ids, error }, 'send.not-settled');
    throw unknown(error);
  }
}
