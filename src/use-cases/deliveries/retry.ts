import { testEvent } from '../../domain/events/table.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import { keptUntil } from './kept.ts';

/**
 * Lets the channel's owner make one attempt now; resolves once it has started. A kept given-up delivery gets a full set of attempts.
 * Throws 404 `not_found`; 409 `conflict` once the payload is erased. [spec: Payload storage; operator-interface §4]
 */
export async function retryDelivery(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<void> {
  const { accountId } = caller;
  const [channel, found] = await Promise.all([
    findChannel(deps, caller, channelId),
    deps.stores.deliveryLog.find({ accountId, channelId, id: deliveryId }),
  ]);
  if (found === null) throw fault('not_found', { what: 'Delivery' });
  const { id, event, messageId, requestId, keptSince, ...tried } = found;
  if (event === testEvent) throw fault('conflict', { why: 'A test event is not retried: send another test' });
  const isKept = keptUntil(channel, found.keptSince) !== null;
  if (found.state !== 'pending' && !isKept) {
    const why = `The delivery is ${found.state}; its payload was erased with the outcome, so it can not be sent again`;
    throw fault('conflict', { why });
  }
  const { attempts, firstTriedAt, nextDueAt, attemptLog, createdAt } = tried;
  const counts = { attempts, claims: 0, firstTriedAt, nextDueAt, attemptLog, createdAt };
  const delivery = { id, event, messageId, requestId, ...counts };
  const kept = keptSince === null ? {} : { keptSince };
  await deps.router.ask(channelId, { type: 'retry-delivery', delivery, ...kept });
}
