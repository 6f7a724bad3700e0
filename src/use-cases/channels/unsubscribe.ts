/**
 * [spec: Channel activity] Upstream's subscription goes only with the last active channel on the business account or page. It is
 * a job: a client's DELETE does not wait for upstream, and an upstream that is down is asked again. What fails for good is logged,
 * not shown: the channel is inactive, and whatever upstream still sends for it is dropped.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Never throws: when no job can be taken down (Redis is away), it is tried here, once. */
export async function unsubscribeLater(deps: UseCaseDeps, channel: Channel): Promise<void> {
  const channelId = channel.id;
  try {
    await deps.jobs.enqueue('unsubscribe-asset', { channelId, requestId: deps.requestId });
  } catch (notQueued) {
    deps.log.info({ channel: channelId, error: asError(notQueued) }, 'channel.unsubscribe-not-queued');
    await unsubscribeUnusedAsset(deps, channelId).catch((error: unknown) =>
      deps.log.warn({ channel: channelId, error: asError(error) }, 'channel.unsubscribe-failed'),
    );
  }
}

/** The job. A channel that is active again, or whose asset another one uses, keeps the subscription. */
export async function unsubscribeUnusedAsset(deps: UseCaseDeps, channelId: string): Promise<void> {
  const { upstream, stores } = deps;
  const channel = await stores.channels.byId(channelId);
  if (channel === null || (await isAssetInUse(deps, channel))) return;
  await upstream.unsubscribe(channel);
  // A channel on the same asset that was connected just now may have lost the subscription it had just made.
  if (await isAssetInUse(deps, channel)) await upstream.subscribe(channel);
}

/** A channel without a known asset has no subscription to remove: counts as in use. */
async function isAssetInUse(deps: UseCaseDeps, channel: Channel): Promise<boolean> {
  const asset = channel.subscribedAsset;
  return asset === null || (await deps.stores.channels.countActiveOn(asset)) > 0;
}
