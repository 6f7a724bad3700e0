import type { Channel } from '../../rules/channels/channel.ts';
import { statusAt } from '../../rules/licences/operability.ts';
import { chooseSlot } from './slots.ts';
import type { Subscription, SubscriptionStatus } from '../../rules/licences/subscription.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import { licenceEnded } from './letters.ts';
import { idFrom } from '../../kernel/ids.ts';
import { announceChange, intendChange } from '../channels/index.ts';
import type { FollowUp } from '../channels/index.ts';
import { writeMail } from '../mails/index.ts';

/**
 * Moves active channels of ended licences to free slots of operable ones, oldest first; a channel that an operator unbound
 * stays unbound. Returns the channels without a slot. [operator-interface §4: several subscriptions with a free slot]
 */
export async function rebindChannels(world: World, accountId: string): Promise<Channel[]> {
  const now = world.clock.now();
  const { graceMs } = world.settings;
  const { subscriptions, channels } = world.stores;
  const licences = await subscriptions.list(accountId);
  const ended = new Set(
    licences.filter((each) => hasEnded(statusAt(each, now, graceMs))).map(({ id }) => id),
  );
  const holders = (await channels.list(accountId, everything)).items;
  const toRebind = holders.filter(
    (each) => each.isActive && each.subscriptionId !== null && ended.has(each.subscriptionId),
  );
  const left: Channel[] = [];
  for (const channel of toRebind) {
    await intendChange(world, channel.id);
    const bound = await bindToFree(world, channel, licences, holders);
    if (bound === null) left.push(channel);
    if (bound === null || bound === 'changed') continue;
    holders[holders.indexOf(channel)] = bound;
    await announceChange(world, channel.id);
  }
  return left;
}

/** Longer than a change of a licence takes from here to its end. */
const reboundWithinMs = 30_000;

/**
 * Call it before the store takes a new licence or the end of one: should this node die before it has moved the channels, another turn does.
 * Throws StoreUnavailable.
 */
export async function intendRebinding(
  { stores, clock }: Pick<World, 'stores' | 'clock'>,
  subscriptionId: string,
): Promise<void> {
  const now = clock.now();
  const intended = [{ kind: 'rebind', subject: subscriptionId } as const];
  await stores.followUps.intend(intended, { dueAt: now + reboundWithinMs, since: now });
}

/** What was intended. Throws StoreUnavailable. */
export async function rebindAsIntended(world: World, due: FollowUp): Promise<void> {
  const subscription = await world.stores.subscriptions.byId(due.subject);
  if (subscription !== null) await rebindOrMail(world, subscription);
  await world.stores.followUps.done(due);
}

/** As `rebindChannels` of the licence's account; mails the account which channels of the ended licence have no other one. */
export async function rebindOrMail(world: World, subscription: Subscription): Promise<void> {
  await mailStopped(world, subscription, await rebindChannels(world, subscription.accountId));
}

/**
 * The chosen slot may be taken by an unexchanged code or a concurrent call: then the next licence is tried. `changed`: somebody has unbound,
 * moved or removed the channel since it was read, which stands. null: no slot is free.
 */
async function bindToFree(
  world: World,
  channel: Channel,
  licences: readonly Subscription[],
  holders: readonly Channel[],
): Promise<Channel | 'changed' | null> {
  const free = chooseSlot(licences, holders, channel.channelType, world.clock.now(), world.settings.graceMs);
  if (free === null) return null;
  const { id, subscriptionId, isActive } = channel;
  const result = await world.stores.channels.bind(id, free.id, { subscriptionId, isActive });
  if (typeof result === 'object') return result.after;
  if (result === 'changed' || result === 'released') return 'changed';
  const others = licences.filter((each) => each.id !== free.id);
  return bindToFree(world, channel, others, holders);
}

/** A licence on hold at the provider (`none`) has not ended: it may resume at any moment, and its channels wait for it. */
function hasEnded(status: SubscriptionStatus): boolean {
  return status === 'expired' || status === 'canceled';
}

/**
 * Mails the account which channels of an ended licence stopped, once per end date: a paid licence that lapsed is often canceled
 * days later. Licences that lapse at the same moment have one mail, whichever is followed up first. `left`: channels without another
 * licence. [operator-interface §4 canceled, trial subscription]
 */
async function mailStopped(
  world: World,
  subscription: Subscription,
  left: readonly Channel[],
): Promise<void> {
  const { id, accountId, source, expiresAt } = subscription;
  const isLapsed = hasLapsed(world, subscription);
  const ended = isLapsed ? await lapsedWith(world, subscription) : [];
  const stopped = left.filter(({ subscriptionId }) =>
    [subscription, ...ended].some((each) => each.id === subscriptionId),
  );
  if (stopped.length === 0) return;
  const letter = licenceEnded(subscription, stopped, world.settings.baseUrl);
  const what = isLapsed ? [accountId, source] : [id];
  const mailId = idFrom('mail', 'licence-ended', ...what, String(expiresAt));
  await writeMail(world, { ...letter, id: mailId, accountId, kind: 'licence-ended' });
}

/** Whether the licence would have ended by now even if nobody had canceled it. */
function hasLapsed({ clock, settings }: World, subscription: Subscription): boolean {
  return statusAt({ ...subscription, status: 'active' }, clock.now(), settings.graceMs) === 'expired';
}

/** Licences of the account that lapsed at the same moment. One that was canceled before has had a mail of its own. */
async function lapsedWith(
  { stores }: World,
  { accountId, source, expiresAt }: Subscription,
): Promise<Subscription[]> {
  const all = await stores.subscriptions.list(accountId);
  return all.filter(
    (each) => each.source === source && each.expiresAt === expiresAt && each.status !== 'canceled',
  );
}

/** The channels bound to a licence, inactive ones included. */
export async function channelsBoundTo(
  { stores }: World,
  { id, accountId }: Subscription,
): Promise<Channel[]> {
  const { items } = await stores.channels.list(accountId, everything);
  return items.filter(({ subscriptionId }) => subscriptionId === id);
}
