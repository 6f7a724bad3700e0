import type { SendReply } from '../../../actors/channel/messages.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import { abandonedMarker } from '../../domain/messages/new-message.ts';
import { sendAnswer } from '../../domain/messages/send-answer.ts';
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { UseCasePorts } from '../deps.ts';

/** The epoch below every owner's. */
const nobody = 0;

/**
 * The answer to a send whose owner vanished with it: what the store says, which the first insert of the id has decided. null
 * when nothing was sent and never will be. Throws `lost` when the store can't say: whether something was sent is open then, and
 * a 503 would say that it was not. [architecture §5; faults: I3, 23]
 */
export async function settleSend(
  deps: UseCasePorts,
  channel: Channel,
  send: { messageId: string; recipient: string; requestId?: string },
  lost: Error,
): Promise<SendReply | null> {
  const now = deps.clock.now();
  const { messageId: id, recipient } = send;
  const marker = abandonedMarker(channel, { id, recipient, attemptedAt: now, createdAt: now, epoch: nobody });
  deps.counters.increment('sends_settled_total');
  try {
    return sendAnswer(await deps.stores.sends.abandonUnlessInserted(marker));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const ids = { channel: channel.id, message: send.messageId, request_id: send.requestId };
    deps.log.error({ ...ids, error }, 'send.not-settled');
    throw lost;
  }
}
