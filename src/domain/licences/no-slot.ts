import { isOperable } from './operability.ts';
import type { Subscription } from './subscription.ts';

/** Why an account has no free slot: each has its own sentence in the registry of faults. */
export type WhyNoSlot = 'no_licence' | 'trial_ended' | 'licence_ended' | 'all_taken';

/** Of an account that has none; the licence that ended last says what happened. [operator-interface §4: no free slot] */
export function whyNoSlot(subscriptions: readonly Subscription[], now: number, graceMs: number): WhyNoSlot {
  if (subscriptions.some((subscription) => isOperable(subscription, now, graceMs))) return 'all_taken';
  const [latest] = subscriptions.toSorted((a, b) => b.createdAt - a.createdAt);
  if (latest === undefined) return 'no_licence';
  return latest.source === 'trial' ? 'trial_ended' : 'licence_ended';
}
