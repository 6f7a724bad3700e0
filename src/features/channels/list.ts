import type { Channel } from '../../rules/channels/channel.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { World } from '../world.ts';
import { readQueued } from '../../kernel/search-queue.ts';
import type { ChannelWithLicence, ChannelWithHealth } from './types.ts';
import { findChannel, findLicence } from './find.ts';
import { findProblems, unknownHealth } from '../../rules/channels/health.ts';
import { isOperable } from '../../rules/licences/operability.ts';

/** The account's channels, active and inactive, each with its licence: at most three queries for any number of channels. */
export async function listChannels(
  world: World,
  { accountId }: Pick<Caller, 'accountId'>,
  page: PageRequest,
): Promise<Page<ChannelWithLicence>> {
  const { items, nextCursor } = await readQueued(world, accountId, page, (some) =>
    world.stores.channels.list(accountId, some),
  );
  return { items: await withLicences(world, accountId, items), nextCursor };
}

async function withLicences(
  { stores }: World,
  accountId: string,
  channels: readonly Channel[],
): Promise<ChannelWithLicence[]> {
  const ids = channels.flatMap(({ subscriptionId }) => (subscriptionId === null ? [] : [subscriptionId]));
  const byId = new Map((await stores.subscriptions.among(accountId, ids)).map((each) => [each.id, each]));
  return channels.map((channel) => ({
    channel,
    subscription: byId.get(channel.subscriptionId ?? '') ?? null,
  }));
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

/** As `listChannels`, with each channel's health from stored state: at most four queries for any number of channels, no upstream call. */
export async function listChannelsWithHealth(
  world: World,
  caller: Caller,
  page: PageRequest,
): Promise<Page<ChannelWithHealth>> {
  const found = await listChannels(world, caller, page);
  return { items: await withHealth(world, found.items), nextCursor: found.nextCursor };
}

/** Those of these channels that the account has, by their ids; in no order. */
export async function readChannelsWithHealth(
  world: World,
  { accountId }: Pick<Caller, 'accountId'>,
  ids: readonly string[],
): Promise<ChannelWithHealth[]> {
  const found = [...(await world.stores.channels.among(accountId, ids)).values()];
  return withHealth(world, await withLicences(world, accountId, found));
}

async function withHealth(world: World, found: readonly ChannelWithLicence[]): Promise<ChannelWithHealth[]> {
  const withSeen = world.activity.reader();
  const known = await world.stores.health.ofAll(found.map(({ channel }) => channel.id));
  const byId = new Map(known.map((health) => [health.channelId, health]));
  const now = world.clock.now();
  return found.map((each) => {
    const { channel, subscription } = each;
    const health = withSeen(byId.get(channel.id) ?? unknownHealth(channel.id));
    const hasLicence = isOperable(subscription, now, world.settings.graceMs);
    const ofApp = world.appProblems.of(channel.channelType);
    return { ...each, health, problems: findProblems(channel, health, hasLicence, ofApp) };
  });
}
