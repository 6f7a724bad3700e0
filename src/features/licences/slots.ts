import type { Channel } from '../../rules/channels/channel.ts';
import { byChannelType, channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';

/** Free slots by channel type; `total` is the sum of both tiers. [spec: Subscriptions response] */
export type AvailableSlots = Record<ChannelType, { total: number; starter: number; pro: number }>;

/** The slot of a channel, active or not. */
export type SlotHolder = Pick<Channel, 'subscriptionId' | 'channelType'>;

/** `channels`: all holders of slots of these subscriptions. [spec: Subscription] */
export function availableSlots(
  subscriptions: readonly Subscription[],
  channels: readonly SlotHolder[],
  now: number,
  graceMs: number,
): AvailableSlots {
  const taken = takenSlots(channels);
  const free = byChannelType(() => ({ total: 0, starter: 0, pro: 0 }));
  for (const subscription of subscriptions) {
    if (!isOperable(subscription, now, graceMs)) continue;
    for (const type of channelTypes) {
      if (taken[type].has(subscription.id)) continue;
      free[type].total += 1;
      free[type][subscription.tier] += 1;
    }
  }
  return free;
}

/**
 * Chooses the licence for a new channel of this type: operable, with a free slot, `pro` before `starter`, then the latest
 * end. null: no free slot. [operator-interface §4]
 */
export function chooseSlot(
  subscriptions: readonly Subscription[],
  channels: readonly SlotHolder[],
  type: ChannelType,
  now: number,
  graceMs: number,
): Subscription | null {
  const taken = takenSlots(channels);
  const free = subscriptions.filter((each) => isOperable(each, now, graceMs) && !taken[type].has(each.id));
  return free.toSorted(byPreference)[0] ?? null;
}

function byPreference(a: Subscription, b: Subscription): number {
  if (a.tier !== b.tier) return a.tier === 'pro' ? -1 : 1;
  // For two perpetual licences the difference is NaN, which sort treats as 0.
  return (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity);
}

/** Ids of licences with an occupied slot, by channel type. */
function takenSlots(channels: readonly SlotHolder[]): Record<ChannelType, ReadonlySet<string | null>> {
  const taken = byChannelType(() => new Set<string | null>());
  for (const { channelType, subscriptionId } of channels) taken[channelType].add(subscriptionId);
  return taken;
}

/** Why an account has no free slot; each reason has its own sentence in the registry of faults. */
type WhyNoSlot = 'no_licence' | 'trial_ended' | 'licence_ended' | 'all_taken';

/** For an account without a free slot. Without an operable licence the newest one decides. [operator-interface §4: no free slot] */
export function whyNoSlot(subscriptions: readonly Subscription[], now: number, graceMs: number): WhyNoSlot {
  if (subscriptions.some((subscription) => isOperable(subscription, now, graceMs))) return 'all_taken';
  const [latest] = subscriptions.toSorted((a, b) => b.createdAt - a.createdAt);
  if (latest === undefined) return 'no_licence';
  return latest.source === 'trial' ? 'trial_ended' : 'licence_ended';
}
