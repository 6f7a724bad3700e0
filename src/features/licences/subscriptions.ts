/** What operators do with licences: grant, change, bind to a channel. */
import type { Subscription } from '../../rules/licences/subscription.ts';
import { trialEnd } from '../../rules/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SubscriptionRequest, SubscriptionWithChannels, SubscriptionPatch } from './types.ts';
import { audit } from '../audit/index.ts';
import { channelSnapshot } from '../channels/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { channelsBoundTo, rebindChannels, rebindOrMail } from './rebind-channels.ts';
import { announceChange } from '../channels/announce-change.ts';
import { noSuchChannel } from '../channels/find.ts';
import { licenceSnapshot } from './snapshot.ts';

/** An operator grants a licence that starts now; channels with an ended licence move to it. Throws 404 `not_found`. */
export async function createSubscription(
  deps: UseCaseDeps,
  accountId: string,
  request: SubscriptionRequest,
): Promise<SubscriptionWithChannels> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const subscription = newSubscription(deps, account.id, request);
  await deps.stores.subscriptions.insert(subscription);
  await audit(deps, 'licence.created', null, licenceSnapshot(subscription));
  await rebindChannels(deps, account.id);
  return { subscription, channels: await channelsBoundTo(deps, subscription) };
}

function newSubscription(
  { clock, settings }: UseCaseDeps,
  accountId: string,
  request: SubscriptionRequest,
): Subscription {
  const now = clock.now();
  // Only an enterprise licence is perpetual. [spec: SubscriptionInfo; operator-interface §4: trial subscription]
  const isTrial = request.source === 'trial';
  return {
    id: newId(),
    accountId,
    status: 'active',
    source: request.source,
    tier: request.tier,
    startsAt: now,
    expiresAt: request.expiresAt ?? (isTrial ? trialEnd(now, settings.trialDays) : null),
    autoRenew: request.autoRenew,
    externalId: null,
    billed: null,
    createdAt: now,
  };
}

/** Takes effect at once for every channel bound to the licence. Throws 404 `not_found`. [operator-interface §4 canceled] */
export async function updateSubscription(
  deps: UseCaseDeps,
  subscriptionId: string,
  patch: SubscriptionPatch,
): Promise<SubscriptionWithChannels> {
  const { subscriptions } = deps.stores;
  const known = await subscriptions.byId(subscriptionId);
  const changed = known && (await subscriptions.update(known.id, settled(deps, known, patch)));
  if (changed === null) throw fault('not_found', { what: 'Subscription' });
  const { before, after: subscription } = changed;
  await audit(deps, 'licence.updated', licenceSnapshot(before), licenceSnapshot(subscription));
  const bound = await channelsBoundTo(deps, subscription);
  await Promise.all(bound.map(({ id }) => announceChange(deps, id)));
  await rebindOrMail(deps, subscription);
  return { subscription, channels: await channelsBoundTo(deps, subscription) };
}

/**
 * Moving the end of an expired licence into the future makes the licence active again. Only an enterprise licence is perpetual: an active
 * trial whose end is taken away is as long as a new one. [spec: SubscriptionInfo; operator-interface §4: trial subscription]
 */
function settled(
  { clock, settings }: UseCaseDeps,
  known: Subscription,
  patch: SubscriptionPatch,
): SubscriptionPatch {
  const now = clock.now();
  const { status = known.status, expiresAt = known.expiresAt } = patch;
  const isMoved = patch.expiresAt !== undefined && (expiresAt === null || expiresAt > now);
  const revives = known.status === 'expired' && patch.status === undefined && isMoved;
  const isActive = revives || status === 'active';
  const isEndless = known.source === 'trial' && isActive && expiresAt === null;
  return {
    ...patch,
    ...(revives ? { status: 'active' } : {}),
    ...(isEndless ? { expiresAt: trialEnd(now, settings.trialDays) } : {}),
  };
}

/**
 * Binds a channel to a licence of its own account; null unbinds it. Throws 404 `not_found` (channel or licence, a licence of
 * another account included), 409 `conflict` if another channel holds the slot. [operator-interface §3]
 */
export async function bindChannel(
  deps: UseCaseDeps,
  channelId: string,
  subscriptionId: string | null,
): Promise<void> {
  const result = await deps.stores.channels.bind(channelId, subscriptionId);
  if (result === 'absent') throw await whatIsAbsent(deps, channelId);
  if (result === 'slot_taken') {
    throw fault('conflict', { why: 'Another channel of this type is bound to the subscription' });
  }
  await audit(deps, 'channel.bound', channelSnapshot(result.before), channelSnapshot(result.after));
  await announceChange(deps, channelId);
}

async function whatIsAbsent(deps: UseCaseDeps, channelId: string): Promise<Error> {
  const channel = await deps.stores.channels.byId(channelId);
  return channel === null ? noSuchChannel() : fault('not_found', { what: 'Subscription' });
}
