import { asError } from '../../kernel/faults.ts';
import { channelFaring } from '../channels/health.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import { channelErrors } from './channel-errors.ts';
import type { ExaminedChannel, InspectedChannel } from './types.ts';

/** A channel with its health, its last errors and its owner's queue (null if no owner is reachable). Throws 404 `not_found`. */
export async function examineChannel(deps: UseCaseDeps, channelId: string): Promise<ExaminedChannel> {
  const channel = await deps.stores.channels.byId(channelId);
  if (channel === null) throw noSuchChannel();
  const [faring, errors, queue] = await Promise.all([
    channelFaring(deps, channel),
    channelErrors(deps, channel),
    inspectChannel(deps, channelId).catch((thrown: unknown) => {
      deps.log.info({ channel: channelId, error: asError(thrown) }, 'channel.not-inspected');
      return null;
    }),
  ]);
  return { ...faring, errors, queue };
}

/** Enqueues a health probe and lets the owner reload its settings. Throws 404 `not_found`, 503. */
export async function probeChannelNow(deps: UseCaseDeps, channelId: string): Promise<void> {
  const channel = await deps.stores.channels.byId(channelId);
  if (channel === null) throw noSuchChannel();
  await deps.jobs.enqueue('look-at-channel', { channelId });
  deps.router.tell(channelId, { type: 'settings-changed' });
}

/** Asks the owner first, because the ask activates the channel; only then `whereIs` knows its node. Throws 404 `not_found`. */
export async function inspectChannel(deps: UseCaseDeps, channelId: string): Promise<InspectedChannel> {
  if ((await deps.stores.channels.byId(channelId)) === null) throw noSuchChannel();
  const insight = await deps.router.ask(channelId, { type: 'inspect' });
  const nodeId = await deps.cluster.whereIs(channelId);
  return { channelId, nodeId, ...insight };
}
