import type { Channel } from '../../domain/channels/channel.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../index.ts';
import type { CachedWorld } from '../world.ts';

/** The connected channel as the store has it now; 404 when absent or of another account. [spec: Authentication 4] */
export async function channelOf(world: CachedWorld, caller: Caller, channelId: string): Promise<Channel> {
  const channel = await world.stores.channels.inAccount(channelId, caller.accountId);
  if (channel === null) throw noSuchChannel();
  return channel;
}

export async function licenceOf(world: CachedWorld, channel: Channel): Promise<Subscription | null> {
  return channel.subscriptionId === null ? null : world.stores.subscriptions.byId(channel.subscriptionId);
}

export function noSuchChannel(): Error {
  return fault('not_found', { what: 'Channel' });
}
