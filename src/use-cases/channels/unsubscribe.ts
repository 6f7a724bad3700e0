/**
 * [spec: Channel activity] The webhook subscription is removed only with the last active channel on the business account or page. A
 * job does it, so that a client's DELETE does not wait for upstream and an outage of upstream is retried. A final failure is only
 * logged: the channel is inactive, and further upstream events for it are dropped.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Never throws: if the job can't be enqueued (Redis is down), the call is tried here, once. */
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

/** Worker of the job. Keeps the subscription if the channel is active again or another active channel uses the asset. */
export async function unsubscribeUnusedAsset(deps: UseCaseDeps, channelId: string): Promise<void> {
  const { upstream, stores } = deps;
  const channel = await stores.channels.byId(channelId);
  if (channel === null || (await isAssetInUse(deps, channel))) return;
  await upstream.unsubscribe(channel);
  // A channel that was connected on the same asset meanwhile may have lost its new subscription.
  if (await isAssetInUse(deps, channel)) await upstream.subscribe(channel);
}

/** True also for a channel without a known asset: it has no subscription to remove. */
async function isAssetInUse(deps: UseCaseDeps, channel: Channel): Promise<boolean> {
  const asset = channel.subscribedAsset;
  return asset === null || (await deps.stores.channels.countActiveOn(asset)) > 0;
}
