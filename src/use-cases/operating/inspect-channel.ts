import { noSuchChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { InspectedChannel } from './types.ts';

/** Looking at a channel makes it live somewhere, so its owner is asked for after it. Throws 404 `not_found`. */
export async function inspectChannel(deps: UseCaseDeps, channelId: string): Promise<InspectedChannel> {
  if ((await deps.stores.channels.byId(channelId)) === null) throw noSuchChannel();
  const insight = await deps.router.ask(channelId, { type: 'inspect' });
  const nodeId = await deps.cluster.whereIs(channelId);
  return { channelId, nodeId, ...insight };
}
