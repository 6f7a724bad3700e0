import type { ChannelInsight } from '../../../actors/channel/messages.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Looking at a channel makes it live somewhere, so its owner is asked for after it. Throws 404 `not_found`. */
export async function inspectChannel(
  deps: UseCaseDeps,
  channelId: string,
): Promise<ChannelInsight & { channelId: string; nodeId: string }> {
  if ((await deps.stores.channels.byId(channelId)) === null) throw noSuchChannel();
  const insight = await deps.router.ask(channelId, { type: 'inspect' });
  const nodeId = await deps.cluster.whereIs(channelId);
  return { channelId, nodeId, ...insight };
}
