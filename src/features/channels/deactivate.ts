import { minuteMs } from '../../kernel/clock.ts';
import { fault, asError } from '../../kernel/faults.ts';
import { announceChange, announceToEndpoints, intendChange } from './announce-change.ts';
import type { Actor, Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { channelSnapshot } from './snapshot.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { eraseUnkept } from './kept.ts';
import { findChannel, noSuchChannel } from './find.ts';
import type { Channel } from '../../rules/channels/channel.ts';

/**
 * Soft delete: id, history, claim and slot are kept. Idempotent: a second DELETE also finishes what the first could not.
 * Throws 404 `not_found`. [spec: Channel activity; operator-interface §4]
 */
export async function deactivateChannel(given: World, caller: Caller, channelId: string): Promise<void> {
  const world = underRequest(given, caller.requestId);
  // Nobody leaves anything on record for another account's channel. [faults: I6]
  await findChannel(world, caller, channelId);
  await intendChange(world, channelId);
  await intendUnsubscribing(world, channelId);
  const changed = await world.stores.channels.deactivate(channelId, caller.accountId);
  if (changed === null) throw noSuchChannel();
  const channel = changed.after;
  await audit(
    world,
    caller.by,
    'channel.deactivated',
    channelSnapshot(changed.before),
    channelSnapshot(channel),
  );
  await announceChange(world, channelId);
  await announceToEndpoints(world, channel);
  await eraseUnkept(world, channel);
  await unsubscribeLater(world, channel);
}

/**
 * Frees the upstream identity of an inactive channel for any account, and its licence slot for another channel. The channel can't be
 * revived afterwards. [spec: Channel activity: requires support] Throws 404 `not_found`, 409 `conflict` while the channel is active.
 */
export async function releaseClaim(world: World, by: Actor | undefined, channelId: string): Promise<void> {
  const changed = await world.stores.channels.releaseClaim(channelId);
  if (changed === null) throw await whyNot(world, channelId);
  const { before, after } = changed;
  await audit(world, by, 'channel.claim-released', channelSnapshot(before), channelSnapshot(after));
  await announceChange(world, channelId);
}

async function whyNot(world: World, channelId: string): Promise<Error> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) return noSuchChannel();
  return fault('conflict', { why: 'The channel is active; deactivate it before its claim is released' });
}

/**
 * [spec: Channel activity] The webhook subscription is removed only with the last active channel on the business account or page. A
 * job does it, so that a client's DELETE does not wait for upstream and an outage of upstream is retried. What the job
 * can't end is tried again for days: meanwhile upstream's events for the channel are dropped.
 *
 * Never throws: if the job can't be enqueued (Redis is down), the call is tried here, once.
 */
async function unsubscribeLater(world: World, channel: Channel): Promise<void> {
  const channelId = channel.id;
  try {
    await world.jobs.enqueue('unsubscribe-asset', { channelId, requestId: world.requestId });
  } catch (notQueued) {
    world.log.info({ channel: channelId, error: asError(notQueued) }, 'channel.unsubscribe-not-queued');
    await endSubscription(world, channelId).catch((error: unknown) =>
      world.log.warn({ channel: channelId, error: asError(error) }, 'channel.unsubscribe-failed'),
    );
  }
}

/** Of a channel that was removed while something else subscribed its asset. */
export async function unsubscribeRemoved(world: World, channel: Channel): Promise<void> {
  await intendUnsubscribing(world, channel.id);
  await unsubscribeLater(world, channel);
}

/** Longer than the job and its retries take. */
const unsubscribedWithinMs = 5 * minuteMs;

/** A job may be lost with its node, or with Redis. */
async function intendUnsubscribing({ stores, clock }: World, channelId: string): Promise<void> {
  const now = clock.now();
  const intended = [{ kind: 'unsubscribe', subject: channelId } as const];
  await stores.followUps.intend(intended, { dueAt: now + unsubscribedWithinMs, since: now });
}

/** Worker of the job. */
export async function endSubscription(world: World, channelId: string): Promise<void> {
  const { followUps } = world.stores;
  const intended = await followUps.of({ kind: 'unsubscribe', subject: channelId });
  await unsubscribeUnusedAsset(world, channelId);
  if (intended !== null) await followUps.done(intended);
}

/**
 * Keeps the subscription if the channel is active again or another active channel uses the asset. A removed one is in no list of its account
 * any more, whatever upstream answers.
 */
async function unsubscribeUnusedAsset(world: World, channelId: string): Promise<void> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) return;
  if (!channel.isActive) await world.stores.health.forgetAccount(channelId);
  await endUnused(world, channel);
}

async function endUnused(world: World, channel: Channel): Promise<void> {
  if (await isAssetInUse(world, channel)) return;
  await world.upstream.unsubscribe(channel);
  // A channel that was connected on the same asset meanwhile may have lost its new subscription.
  if (await isAssetInUse(world, channel)) await world.upstream.subscribe(channel);
}

/** For a channel that was subscribed and then not connected: upstream would send us the events of an asset that nobody has here. Never throws. */
export async function endNeedless(world: World, channel: Channel): Promise<void> {
  try {
    await endUnused(world, channel);
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.unsubscribe-failed');
  }
}

/**
 * True also for a channel without a known asset: it has no subscription to remove. A code that could be exchanged counts, because the
 * exchange subscribes before it connects; it is looked for first, as an exchange may connect it between the two questions.
 */
async function isAssetInUse({ stores, clock }: World, channel: Channel): Promise<boolean> {
  const asset = channel.subscribedAsset;
  if (asset === null || (await stores.channels.isReservedOn(asset, clock.now()))) return true;
  return (await stores.channels.countActiveOn(asset)) > 0;
}
