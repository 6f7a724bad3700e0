/** What operators do with licences: grant, change, bind to a channel. */
import type { Actor } from '../../rules/caller.ts';
import type { SeenBinding } from '../../rules/channels/binding.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { trialEnd } from '../../rules/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SubscriptionRequest, SubscriptionWithChannels, SubscriptionPatch } from './types.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { channelsBoundTo, intendRebinding, rebindChannels, rebindOrMail } from './rebind-channels.ts';
import { licenceSnapshot } from './snapshot.ts';
import { channelSnapshot, announceChange, intendChange, noSuchChannel } from '../channels/index.ts';

/**
 * An operator grants a licence that starts now; channels with an ended licence move to it. With the `id` of a licence of the account, as from
 * a form that is posted twice, none is added. Throws 404 `not_found`.
 */
export async function createSubscription(
  world: World,
  by: Actor | undefined,
  accountId: string,
  request: SubscriptionRequest,
  id: string = newId(),
): Promise<SubscriptionWithChannels> {
  const account = await world.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const subscription = newSubscription(world, { id, accountId: account.id }, request);
  await intendRebinding(world, subscription.id);
  if (await world.stores.subscriptions.insert(subscription))
    await audit(world, by, 'licence.created', null, licenceSnapshot(subscription));
  await rebindChannels(world, account.id);
  return { subscription, channels: await channelsBoundTo(world, subscription) };
}

function newSubscription(
  { clock, settings }: World,
  of: Pick<Subscription, 'id' | 'accountId'>,
  request: SubscriptionRequest,
): Subscription {
  const now = clock.now();
  // Only an enterprise licence is perpetual. [spec: SubscriptionInfo; operator-interface §4: trial subscription]
  const isTrial = request.source === 'trial';
  return {
    ...of,
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

/**
 * Takes effect at once for every channel bound to the licence. `mayChange` throws if the licence, as it stands at the change, is not to be
 * changed. Throws 404 `not_found`. [operator-interface §4 canceled]
 */
export async function updateSubscription(
  world: World,
  by: Actor | undefined,
  subscriptionId: string,
  patch: SubscriptionPatch,
  mayChange: (standing: Subscription) => void = () => undefined,
): Promise<SubscriptionWithChannels> {
  const { before, after: subscription } = await writeUpdate(world, subscriptionId, patch, mayChange);
  await audit(world, by, 'licence.updated', licenceSnapshot(before), licenceSnapshot(subscription));
  const bound = await channelsBoundTo(world, subscription);
  await Promise.all(bound.map(({ id }) => announceChange(world, id)));
  await rebindOrMail(world, subscription);
  return { subscription, channels: await channelsBoundTo(world, subscription) };
}

/** What is written depends on the status and the end that were read: a licence that lapsed meanwhile, or was billed, is read again. */
async function writeUpdate(
  world: World,
  subscriptionId: string,
  patch: SubscriptionPatch,
  mayChange: (standing: Subscription) => void,
): Promise<{ before: Subscription; after: Subscription }> {
  const { subscriptions } = world.stores;
  for (;;) {
    const known = await subscriptions.byId(subscriptionId);
    if (known === null) throw fault('not_found', { what: 'Subscription' });
    mayChange(known);
    await intendChanges(world, known);
    const { id, status, expiresAt } = known;
    const changed = await subscriptions.update(id, settled(world, known, patch), { status, expiresAt });
    if (changed !== null) return changed;
  }
}

async function intendChanges(world: World, subscription: Subscription): Promise<void> {
  const bound = await channelsBoundTo(world, subscription);
  await intendChange(world, ...bound.map(({ id }) => id));
  await intendRebinding(world, subscription.id);
}

/**
 * Moving the end of an expired licence into the future makes the licence active again. Only an enterprise licence is perpetual: an active
 * trial whose end is taken away is as long as a new one. [spec: SubscriptionInfo; operator-interface §4: trial subscription]
 */
function settled(
  { clock, settings }: World,
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
 * another account included), 409 `conflict` if another channel holds the slot, if the ownership of this one was released, or if it is not as
 * it was `seen` any more. [operator-interface §3]
 */
export async function bindChannel(
  world: World,
  by: Actor | undefined,
  channelId: string,
  subscriptionId: string | null,
  seen: SeenBinding = {},
): Promise<void> {
  await intendChange(world, channelId);
  const result = await world.stores.channels.bind(channelId, subscriptionId, seen);
  if (result === 'absent') throw await whatIsAbsent(world, channelId);
  if (result === 'changed' && (await isBoundTo(world, channelId, subscriptionId))) return; // posted twice
  if (typeof result === 'string') throw fault('conflict', { why: whyNot[result] });
  await audit(world, by, 'channel.bound', channelSnapshot(result.before), channelSnapshot(result.after));
  await announceChange(world, channelId);
}

async function isBoundTo({ stores }: World, channelId: string, licenceId: string | null): Promise<boolean> {
  const channel = await stores.channels.byId(channelId);
  return channel !== null && channel.subscriptionId === licenceId;
}

const whyNot = {
  slot_taken: 'Another channel of this type is bound to the subscription',
  released: 'The ownership of the channel was released: it can not be connected again',
  changed: 'The channel has changed meanwhile: look at it again',
} as const;

async function whatIsAbsent(world: World, channelId: string): Promise<Error> {
  const channel = await world.stores.channels.byId(channelId);
  return channel === null ? noSuchChannel() : fault('not_found', { what: 'Subscription' });
}
