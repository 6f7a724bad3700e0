import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { UseCaseDeps } from '../world.ts';
import { readQueued } from '../../kernel/search-queue.ts';
import type { ChannelWithLicence, ChannelWithHealth } from './types.ts';
import { findChannel, findLicence } from './find.ts';
import { findProblems, unknownHealth } from '../../rules/channels/health.ts';
import { isOperable } from '../../rules/licences/operability.ts';

/** The account's channels, active and inactive, each with its licence: two queries for any number of channels. */
export async function listChannels(
  deps: UseCaseDeps,
  { accountId }: Pick<Caller, 'accountId'>,
  page: PageRequest,
): Promise<Page<ChannelWithLicence>> {
  const [channels, subscriptions] = await Promise.all([
    readQueued(deps, accountId, page, (some) => deps.stores.channels.list(accountId, some)),
    deps.stores.subscriptions.list(accountId),
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
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
): Promise<ChannelWithLicence> {
  const channel = await findChannel(deps, caller, channelId);
  return { channel, subscription: await findLicence(deps, channel) };
}

/** As `listChannels`, with each channel's health from stored state: three queries for any number of channels, no upstream call. */
export async function listChannelsWithHealth(
  deps: UseCaseDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<ChannelWithHealth>> {
  const found = await listChannels(deps, caller, page);
  const withSeen = deps.activity.reader();
  const known = await deps.stores.health.ofAll(found.items.map(({ channel }) => channel.id));
  const byId = new Map(known.map((health) => [health.channelId, health]));
  const now = deps.clock.now();
  const items = found.items.map((each) => {
    const { channel, subscription } = each;
    const health = withSeen(byId.get(channel.id) ?? unknownHealth(channel.id));
    const hasLicence = isOperable(subscription, now, deps.settings.graceMs);
    const ofApp = deps.appProblems.of(channel.channelType);
    return { ...each, health, problems: findProblems(channel, health, hasLicence, ofApp) };
  });
  return { items, nextCursor: found.nextCursor };
}
