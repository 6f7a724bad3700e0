/** What became of a message: its record and the webhooks that tell of it. */
import type { Channel } from '../../domain/channels/channel.ts';
import { makeDeliveryId } from '../../domain/events/built.ts';
import type { MessageRecord } from '../../domain/messages/timeline.ts';
import { eventTypes } from '../../domain/events/table.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import { showDelivery } from '../deliveries/list.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { MessageTimeline } from './types.ts';

/**
 * For as long as the delivery log is kept. Throws 404 `not_found`, also for an id under which nothing was sent and never will be.
 * [operator-interface §2, DELIVERY_LOG_DAYS]
 */
export async function messageTimeline(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  id: string,
): Promise<MessageTimeline> {
  const { accountId } = caller;
  const [channel, message] = await Promise.all([
    findChannel(deps, caller, channelId),
    deps.stores.messageLog.find({ accountId, channelId, id }),
  ]);
  const since = deps.clock.now() - deps.settings.deliveryLogMs;
  if (message === null || message.state === 'abandoned' || message.createdAt < since) throw noSuchMessage();
  return withDeliveries(deps, message, channel);
}

/** Any message, for as long as it is on record. Throws 404 `not_found`. [operator-interface §3] */
export async function inspectMessage(deps: UseCaseDeps, id: string): Promise<MessageTimeline> {
  const message = await deps.stores.messageLog.byId(id);
  if (message === null) throw noSuchMessage();
  return withDeliveries(deps, message, await deps.stores.channels.byId(message.channelId));
}

/** An event of a message has one delivery at most, whose id is made of the two. */
async function withDeliveries(
  deps: UseCaseDeps,
  message: MessageRecord,
  channel: Channel | null,
): Promise<MessageTimeline> {
  const { id: messageId, channelId, accountId } = message;
  const ids = eventTypes.map((event) => makeDeliveryId(channelId, messageId, event));
  const deliveries = await deps.stores.deliveryLog.among({ accountId, channelId, ids });
  return { message, deliveries: deliveries.map((delivery) => showDelivery(channel, delivery)) };
}

function noSuchMessage(): Error {
  return fault('not_found', { what: 'Message' });
}
