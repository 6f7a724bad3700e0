import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { requireOperable } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { World } from '../world.ts';
import { noSuchChannel } from './find.ts';

/**
 * The channel, for a call to upstream on a client's behalf that is no send. Throws 402 `account_suspended`, 404 `not_found`, 400
 * `channel_inactive`, `channel_without_token`, 402 `licence_inactive`.
 */
export async function requireReachable(
  world: World,
  { accountId }: Caller,
  channelId: string,
): Promise<{ channel: Channel; licence: Subscription }> {
  if (!world.suspensions.isRunning(accountId)) await world.suspensions.requireRunning(accountId);
  const found = await world.channelCache.inAccount(channelId, accountId);
  if (found === null) throw noSuchChannel();
  const { channel, subscription } = found;
  if (!channel.isActive) throw fault('channel_inactive');
  if (channel.token === null) throw fault('channel_without_token');
  return { channel, licence: requireOperable(subscription, world.clock.now(), world.settings.graceMs) };
}
