import type { ChannelInsight } from '../../../actors/channel/messages.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { CachedWorld } from '../world.ts';

/** Looking at a channel makes it live somewhere, so its owner is asked for after it. Throws 404 `not_found`. */
export async function inspectChannel(
  world: CachedWorld,
  channelId: string,
): Promise<ChannelInsight & { channelId: string; nodeId: string }> {
  if ((await world.stores.channels.byId(channelId)) === null) throw noSuchChannel();
  const insight = await world.router.ask(channelId, { type: 'inspect' });
  const nodeId = await world.cluster.whereIs(channelId);
  return { channelId, nodeId, ...insight };
}
