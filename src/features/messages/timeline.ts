/** A message's timeline: its record and the deliveries of its events. */
import type { Channel } from '../../rules/channels/channel.ts';
import { makeDeliveryId } from '../../rules/events/built.ts';
import type { MessageRecord } from './timeline-rules.ts';
import { messageEvents } from '../../rules/events/table.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { MessageTimeline } from './types.ts';
import { findChannel } from '../channels/index.ts';
import { showDelivery } from '../deliveries/index.ts';

/**
 * Available within the delivery log's retention. Throws 404 `not_found`, also for an abandoned id.
 * [operator-interface §2, DELIVERY_LOG_DAYS]
 */
export async function messageTimeline(
  world: World,
  caller: Caller,
  channelId: string,
  id: string,
): Promise<MessageTimeline> {
  const { accountId } = caller;
  const [channel, message] = await Promise.all([
    findChannel(world, caller, channelId),
    world.stores.messageLog.find({ accountId, channelId, id }),
  ]);
  const since = world.clock.now() - world.settings.deliveryLogMs;
  if (message === null || message.state === 'abandoned' || !isOfLog(message, since)) throw noSuchMessage();
  return withDeliveries(world, message, channel);
}

/** As `DueWorkStore.dropFinished` counts it: a send that waits long, or waited, is as old as its last call. [faults: 452] */
function isOfLog({ state, origin, createdAt, attemptedAt }: MessageRecord, since: number): boolean {
  if (state === 'sending' || state === 'queued' || createdAt >= since) return true;
  return origin === 'service' && attemptedAt >= since;
}

/** A message of any account, as long as it is stored. Throws 404 `not_found`. [operator-interface §3] */
export async function inspectMessage(world: World, id: string): Promise<MessageTimeline> {
  const message = await world.stores.messageLog.byId(id);
  if (message === null) throw noSuchMessage();
  return withDeliveries(world, message, await world.stores.channels.byId(message.channelId));
}

/**
 * Each event type of a message has at most one delivery, whose id is derived from both. A next try whose time is over waits behind others, so
 * nobody knows its time.
 */
async function withDeliveries(
  world: World,
  stored: MessageRecord,
  channel: Channel | null,
): Promise<MessageTimeline> {
  const isOver = stored.nextTryAt !== null && stored.nextTryAt <= world.clock.now();
  const message = isOver ? { ...stored, nextTryAt: null } : stored;
  const { id: messageId, channelId, accountId } = message;
  const ids = messageEvents.map((event) => makeDeliveryId(channelId, messageId, event));
  const deliveries = await world.stores.deliveryLog.among({ accountId, channelId, ids });
  return { message, deliveries: deliveries.map((delivery) => showDelivery(channel, delivery)) };
}

function noSuchMessage(): Error {
  return fault('not_found', {
    what: 'Message',
    why: 'only what was sent through this service has a timeline',
  });
}
