import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';

/** The connected channel, read from the store; 404 if absent or of another account. [spec: Authentication 4] */
export async function findChannel(world: World, caller: Caller, channelId: string): Promise<Channel> {
  const channel = await world.stores.channels.inAccount(channelId, caller.accountId);
  if (channel === null) throw noSuchChannel();
  return channel;
}

/** The licence that the channel is bound to; null: none. */
export async function findLicence(
  { stores }: Pick<World, 'stores'>,
  { subscriptionId }: Pick<Channel, 'subscriptionId'>,
): Promise<Subscription | null> {
  return subscriptionId === null ? null : stores.subscriptions.byId(subscriptionId);
}

/** The channel as stored; null if it is inactive, or was connected again: then what upstream said concerns an older token. */
export async function withSameToken(
  { stores }: Pick<World, 'stores'>,
  { id, token }: Channel,
): Promise<Channel | null> {
  const channel = await stores.channels.byId(id);
  return channel !== null && channel.isActive && channel.token === token ? channel : null;
}

export function noSuchChannel(): Error {
  return fault('not_found', { what: 'Channel' });
}
