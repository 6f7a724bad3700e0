import { fault, asError } from '../../kernel/faults.ts';
import { announceChange } from './announce-change.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { channelSnapshot } from './snapshot.ts';
import type { UseCaseDeps } from '../world.ts';
import { eraseUnkept } from '../deliveries/kept.ts';
import { noSuchChannel } from './find.ts';
import type { Channel } from '../../rules/channels/channel.ts';

/**
 * Soft delete: id, history, claim and slot are kept. Idempotent: a second DELETE also finishes what the first could not.
 * Throws 404 `not_found`. [spec: Channel activity; operator-interface §4]
 */
export async function deactivateChannel(deps: UseCaseDeps, caller: Caller, channelId: string): Promise<void> {
  const changed = await deps.stores.channels.deactivate(channelId, caller.accountId);
  if (changed === null) throw noSuchChannel();
  const channel = changed.after;
  await audit(deps, 'channel.deactivated', channelSnapshot(changed.before), channelSnapshot(channel));
  await announceChange(deps, channelId);
  await eraseUnkept(deps, channelId, channel);
  await unsubscribeLater(deps, channel);
}

/**
 * Frees the upstream identity of an inactive channel for any account, and its licence slot for another channel. The channel can't be
 * revived afterwards. [spec: Channel activity: requires support] Throws 404 `not_found`, 409 `conflict` while the channel is active.
 */
export async function releaseClaim(deps: UseCaseDeps, channelId: string): Promise<void> {
  const changed = await deps.stores.channels.releaseClaim(channelId);
  if (changed === null) throw await whyNot(deps, channelId);
  const { before, after } = changed;
  await audit(deps, 'channel.claim-released', channelSnapshot(before), channelSnapshot(after));
  await announceChange(deps, channelId);
}

async function whyNot(deps: UseCaseDeps, channelId: string): Promise<Error> {
  const channel = await deps.stores.channels.byId(channelId);
  if (channel === null) return noSuchChannel();
  return fault('conflict', { why: 'The channel is active; deactivate it before its claim is released' });
}

/**
 * [spec: Channel activity] The webhook subscription is removed only with the last active channel on the business account or page. A
 * job does it, so that a client's DELETE does not wait for upstream and an outage of upstream is retried. A final failure is only
 * logged: the channel is inactive, and further upstream events for it are dropped.
 *
 * Never throws: if the job can't be enqueued (Redis is down), the call is tried here, once.
 */
async function unsubscribeLater(deps: UseCaseDeps, channel: Channel): Promise<void> {
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

/**
 * True also for a channel without a known asset: it has no subscription to remove. A code that could be exchanged counts, because the
 * exchange subscribes before it connects; it is looked for first, as an exchange may connect it between the two questions.
 */
async function isAssetInUse({ stores, clock }: UseCaseDeps, channel: Channel): Promise<boolean> {
  const asset = channel.subscribedAsset;
  if (asset === null || (await stores.channels.isReservedOn(asset, clock.now()))) return true;
  return (await stores.channels.countActiveOn(asset)) > 0;
}
