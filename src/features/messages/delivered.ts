/** Messages recorded only as deliveries: received messages and echoes. */
import { makeDeliveryId } from '../../rules/events/built.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import { isMessageId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { KnownUpstream } from '../../storage/sends.ts';
import { findChannel } from '../channels/index.ts';
import type { LoggedDelivery } from '../deliveries/index.ts';

const messageEvents = ['message.received', 'message.echo'] as const;
/** Channels searched, the account's first ones: an id does not name its channel. */
const maxChannels = 500;
const channelsAtOnce = 50;

/** Deliveries that carried the message, within the log's retention; empty if there is no such message. Throws 404 `not_found`. */
export async function deliveredMessage(
  world: World,
  caller: Caller,
  channelId: string,
  messageId: string,
): Promise<LoggedDelivery[]> {
  await findChannel(world, caller, channelId);
  return findDelivered(world, caller, [channelId], messageId);
}

/** Id of the account's channel with this message; null if not found. */
export async function channelOfMessage(
  world: World,
  caller: Caller,
  messageId: string,
): Promise<string | null> {
  const { accountId } = caller;
  if (!isMessageId(messageId)) return null;
  const sent = await world.stores.messageLog.byId(messageId);
  if (sent !== null && sent.accountId === accountId) return sent.channelId;
  return channelOfDelivered(world, caller, messageId);
}

/** The channel of a delivery; null if no channel of the account has it. */
export async function channelOfDelivery(world: World, caller: Caller, id: string): Promise<string | null> {
  if (!isMessageId(id)) return null;
  return world.stores.deliveryLog.channelOf(caller.accountId, id);
}

/** The account's message that upstream calls so, of one of its first channels; null if not found. */
export async function messageCalled(
  { stores, searches }: World,
  { accountId }: Caller,
  upstreamId: string,
): Promise<KnownUpstream | null> {
  const ids = await stores.channels.ids(accountId, maxChannels);
  return searches.run(accountId, () => stores.sends.byUpstreamId(ids, upstreamId));
}

/** Of the account's first channels, the one that received the message or echo; null if none has. */
async function channelOfDelivered(world: World, caller: Caller, messageId: string): Promise<string | null> {
  const ids = await world.stores.channels.ids(caller.accountId, maxChannels);
  return world.searches.run(caller.accountId, async () => {
    for (let at = 0; at < ids.length; at += channelsAtOnce) {
      const some = ids.slice(at, at + channelsAtOnce);
      const [found] = await findDelivered(world, caller, some, messageId);
      if (found !== undefined) return found.channelId;
      await yieldToLoop();
    }
    return null;
  });
}

async function findDelivered(
  { stores, clock, settings }: World,
  { accountId }: Caller,
  channelIds: readonly string[],
  messageId: string,
): Promise<LoggedDelivery[]> {
  const ids = channelIds.flatMap((channelId) =>
    messageEvents.map((event) => makeDeliveryId(channelId, messageId, event)),
  );
  const found = await stores.deliveryLog.among({ accountId, channelId: null, ids });
  return found.filter(({ createdAt }) => createdAt >= clock.now() - settings.deliveryLogMs);
}
