import type { SendReply } from '../../../actors/channel/messages.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { OutboundMessage } from '../../domain/messages/message.ts';
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { SettledSend } from '../ports/messages.ts';
import type { UseCasePorts } from '../deps.ts';

/**
 * The answer to a send whose owner vanished with it: what the store says, which the first insert of the id has decided. null
 * when nothing was sent and never will be. Throws `lost` when the store can't say: whether something was sent is open then, and
 * a 503 would say that it was not. [architecture §5; faults: I3, 23]
 */
export async function settleSend(
  deps: UseCasePorts,
  channel: Channel,
  send: { messageId: string; recipient: string },
  lost: Error,
): Promise<SendReply | null> {
  const marker = abandoned(channel, send, deps.clock.now());
  deps.counters.increment('sends_settled');
  try {
    return replyFor(await deps.stores.sends.abandonUnlessInserted(marker));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    deps.log.error({ channel: channel.id, messageId: send.messageId, error }, 'send.not-settled');
    throw lost;
  }
}

function replyFor({ state, error, errorCode }: SettledSend): SendReply | null {
  switch (state) {
    case 'abandoned':
      return null;
    case 'sending':
    case 'queued':
      return { status: 'queued' };
    case 'sent':
      return { status: 'sent' };
    case 'failed':
      return { status: 'failed', error: error ?? 'The message could not be sent', errorCode };
    default:
      return state satisfies never;
  }
}

function abandoned(
  { id: channelId, accountId, channelType }: Channel,
  { messageId: id, recipient }: { messageId: string; recipient: string },
  now: number,
): OutboundMessage {
  return {
    id,
    channelId,
    accountId,
    channelType,
    origin: 'service',
    recipient,
    content: null,
    state: 'abandoned',
    rank: 0,
    deliveryFailed: false,
    copies: 0,
    tries: 0,
    attemptedAt: now,
    nextTryAt: null,
    upstreamIds: [],
    error: null,
    errorCode: null,
    epoch: 0, // nobody owns it
    createdAt: now,
  };
}
