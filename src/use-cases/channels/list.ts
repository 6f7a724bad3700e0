import type { Channel } from '../../domain/channels/channel.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { Caller } from '../caller.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { UseCaseDeps } from '../deps.ts';
import { readQueued } from '../long-lists.ts';
import type { ChannelWithLicence } from './types.ts';
import { findChannel, findLicence } from './find.ts';

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
