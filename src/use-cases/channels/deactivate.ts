import type { Channel } from '../../domain/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { noSuchChannel } from './find.ts';

/**
 * Soft delete: id, history, claim and slot are kept. A second DELETE is fine, and finishes what the first could not.
 * Throws 404 `not_found`. [spec: Channel activity; operator-interface §4]
 */
export async function deactivateChannel(deps: UseCaseDeps, caller: Caller, channelId: string): Promise<void> {
  const channel = await deps.stores.channels.deactivate(channelId, caller.accountId);
  if (channel === null) throw noSuchChannel();
  await announceChange(deps, channelId);
  await unsubscribeUnusedAsset(deps, channel);
}

/**
 * [spec: Channel activity] Upstream's subscription goes only with the last active channel on the business account or page. What
 * fails here is logged, not shown: the channel is inactive, and whatever upstream still sends for it is dropped.
 */
export async function unsubscribeUnusedAsset(deps: UseCaseDeps, channel: Channel): Promise<void> {
  const { upstream, log } = deps;
  try {
    if (await isAssetInUse(deps, channel)) return;
    await upstream.unsubscribe(channel);
    // A channel on the same asset that was connected just now may have lost the subscription it had just made.
    if (await isAssetInUse(deps, channel)) await upstream.subscribe(channel);
  } catch (thrown) {
    log.warn({ channelId: channel.id, error: asError(thrown) }, 'channel.unsubscribe_failed');
  }
}

/** A channel without a known asset has no subscription to remove: counts as in use. */
async function isAssetInUse(deps: UseCaseDeps, channel: Channel): Promise<boolean> {
  const asset = channel.subscribedAsset;
  return asset === null || (await deps.stores.channels.countActiveOn(asset)) > 0;
}
