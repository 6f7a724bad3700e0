import type { Channel } from '../channels/channel.ts';
import { byChannelType } from '../vocabulary.ts';
import type { ChannelType } from '../vocabulary.ts';
import { isOperable } from './operability.ts';
import type { Subscription, Tier } from './subscription.ts';

/** Free slots by channel type; `total` is the sum of both tiers. [spec: Subscriptions response] */
export type AvailableSlots = Record<ChannelType, { total: number; starter: number; pro: number }>;

/** What a channel occupies, active or not. */
export type SlotHolder = Pick<Channel, 'subscriptionId' | 'channelType'>;

/** `channels`: everything that holds a slot of these subscriptions. [spec: Subscription] */
export function availableSlots(
  subscriptions: readonly Subscription[],
  channels: readonly SlotHolder[],
  now: number,
  graceMs: number,
): AvailableSlots {
  const taken = takenSlots(channels);
  const operable = subscriptions.filter((subscription) => isOperable(subscription, now, graceMs));
  const countFree = (type: ChannelType, tier: Tier): number =>
    operable.filter((each) => each.tier === tier && !taken.has(slotKey(each.id, type))).length;
  const countSlots = (type: ChannelType): AvailableSlots[ChannelType] => {
    const starter = countFree(type, 'starter');
    const pro = countFree(type, 'pro');
    return { total: starter + pro, starter, pro };
  };
  return byChannelType(countSlots);
}

/**
 * The licence a new channel of this type binds to: operable, its slot free, `pro` before `starter`, then the one that lasts
 * longest. null: no free slot. [operator-interface §4]
 */
export function chooseSlot(
  subscriptions: readonly Subscription[],
  channels: readonly SlotHolder[],
  type: ChannelType,
  now: number,
  graceMs: number,
): Subscription | null {
  const taken = takenSlots(channels);
  const free = subscriptions.filter(
    (each) => isOperable(each, now, graceMs) && !taken.has(slotKey(each.id, type)),
  );
  return free.toSorted(byPreference)[0] ?? null;
}

function byPreference(a: Subscription, b: Subscription): number {
  if (a.tier !== b.tier) return a.tier === 'pro' ? -1 : 1;
  // Two perpetual ones differ by nothing: of NaN a sort makes 0.
  return (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity);
}

function takenSlots(channels: readonly SlotHolder[]): ReadonlySet<string> {
  return new Set(channels.map(({ subscriptionId, channelType }) => slotKey(subscriptionId, channelType)));
}

function slotKey(subscriptionId: string | null, type: ChannelType): string {
  return `${type} ${subscriptionId}`;
}

/** Why an account has no free slot: each has its own sentence in the registry of faults. */
type WhyNoSlot = 'no_licence' | 'trial_ended' | 'licence_ended' | 'all_taken';

/** Of an account that has none; the licence that ended last says what happened. [operator-interface §4: no free slot] */
export function whyNoSlot(subscriptions: readonly Subscription[], now: number, graceMs: number): WhyNoSlot {
  if (subscriptions.some((subscription) => isOperable(subscription, now, graceMs))) return 'all_taken';
  const [latest] = subscriptions.toSorted((a, b) => b.createdAt - a.createdAt);
  if (latest === undefined) return 'no_licence';
  return latest.source === 'trial' ? 'trial_ended' : 'licence_ended';
}
