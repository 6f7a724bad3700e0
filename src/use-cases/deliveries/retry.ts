import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';

/**
 * One attempt now, made by the channel's owner; answered once it is under way. Throws 404 `not_found`; 409 `conflict` once the
 * delivery has ended, because its payload was erased with the outcome. [spec: Payload storage]
 */
export async function retryDelivery(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<void> {
  const { accountId } = caller;
  const [, found] = await Promise.all([
    findChannel(deps, caller, channelId),
    deps.stores.deliveryLog.find({ accountId, channelId, id: deliveryId }),
  ]);
  if (found === null) throw fault('not_found', { what: 'Delivery' });
  if (found.state !== 'pending') {
    const why = `The delivery is ${found.state}; its payload was erased with the outcome, so it can not be sent again`;
    throw fault('conflict', { why });
  }
  const { id, event, messageId, requestId, attempts, firstTriedAt, nextDueAt, attemptLog, createdAt } = found;
  const delivery = {
    id,
    event,
    messageId,
    requestId,
    attempts,
    claims: 0,
    firstTriedAt,
    nextDueAt,
    attemptLog,
    createdAt,
  };
  await deps.router.ask(channelId, { type: 'retry-delivery', delivery });
}
