import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { World } from '../world.ts';
import { readQueued } from '../../kernel/search-queue.ts';
import type { ChannelWithLicence, ChannelWithHealth } from './types.ts';
import { findChannel, findLicence } from './find.ts';
import { findProblems, unknownHealth } from '../../rules/channels/health.ts';
import { isOperable } from '../../rules/licences/operability.ts';

/** The account's channels, active and inactive, each with its licence: two queries for any number of channels. */
export async function listChannels(
  world: World,
  { accountId }: Pick<Caller, 'accountId'>,
  page: PageRequest,
): Promise<Page<ChannelWithLicence>> {
  const [channels, subscriptions] = await Promise.all([
    readQueued(world, accountId, page, (some) => world.stores.channels.list(accountId, some)),
    world.stores.subscriptions.list(accountId),
  ]);
  const byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  const items = channels.items.map((channel) => withLicence(channel, byId));
  return { items, nextCursor: channels.nextCursor };
}

function withLicence(channel: Channel, byId: Map<string, Subscription>): ChannelWithLicence {
  const { subscriptionId } = channel;
  return { channel, subscription: subscriptionId === null ? null : (byId.get(subscriptionId) ?? null) };
}

/** Bypasses the cache, so that a client reads its own write on another node. Throws 404 `not_found`. */
export async function readChannel(
  world: World,
  caller: Caller,
  channelId: string,
): Promise<ChannelWithLicence> {
  const channel = await findChannel(world, caller, channelId);
  return { channel, subscription: await findLicence(world, channel) };
}

/** As `listChannels`, with each channel's health from stored state: three queries for any number of channels, no upstream call. */
export async function listChannelsWithHealth(
  world: World,
  caller: Caller,
  page: PageRequest,
): Promise<Page<ChannelWithHealth>> {
  const found = await listChannels(world, caller, page);
  const withSeen = world.activity.reader();
  const known = await world.stores.health.ofAll(found.items.map(({ channel }) => channel.id));
  const byId = new Map(known.map((health) => [health.channelId, health]));
  const now = world.clock.now();
  const items = found.items.map((each) => {
    const { channel, subscription } = each;
    const health = withSeen(byId.get(channel.id) ?? unknownHealth(channel.id));
    const hasLicence = isOperable(subscription, now, world.settings.graceMs);
    const ofApp = world.appProblems.of(channel.channelType);
    return { ...each, health, problems: findProblems(channel, health, hasLicence, ofApp) };
  });
  return { items, nextCursor: found.nextCursor };
}
