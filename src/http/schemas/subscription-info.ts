/** The licence of a channel, as a channel and a list of licences show it. */
import type { Channel } from '../../rules/channels/channel.ts';
import { isOperable, statusAt } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { toIso } from '../../kernel/clock.ts';
import { answer } from '../validation/response-body.ts';
import { flag, openWords, orNull, timestamp } from '../validation/json-schema.ts';
import { sourceWord, subscriptionStatuses, tierWord } from './common.ts';

/** Inputs of a licence's status besides the licence: current time and grace period, ms. */
export interface Moment {
  now: number;
  graceMs: number;
}

export interface Licensed {
  subscription: Subscription | null;
  moment: Moment;
}

/** [spec: Channel: can currently send and receive] The channel is active and its licence is operable. [operator-interface §4] */
export function canWork(
  { isActive }: Channel,
  subscription: Subscription | null,
  { now, graceMs }: Moment,
): boolean {
  return isActive && isOperable(subscription, now, graceMs);
}

/** [spec: SubscriptionInfo] Returns null for status `none`, where all other fields are null or false. */
function bound({ subscription, moment }: Licensed): Subscription | null {
  const isNone = subscription === null || statusAt(subscription, moment.now, moment.graceMs) === 'none';
  return isNone ? null : subscription;
}

/** [spec: SubscriptionInfo] True only for an active `billing_provider` subscription with no scheduled cancellation. */
export function willRenew(subscription: Subscription, { now, graceMs }: Moment): boolean {
  const isActive = statusAt(subscription, now, graceMs) === 'active';
  return subscription.autoRenew && subscription.source === 'billing_provider' && isActive;
}

export const sourceNote =
  '`trial`: created at sign-up; `billing_provider`: paid through the payment provider; `enterprise`: granted by an operator';
export const expiryNote = 'End of the current period; null: no announced end';
export const renewalNote =
  'True only for an active `billing_provider` subscription with no scheduled cancellation';

/** [spec: SubscriptionInfo] */
export const subscriptionInfo = answer<Licensed>('SubscriptionInfo', {
  status: [
    {
      ...openWords([...subscriptionStatuses, 'none']),
      description:
        'The channel can send and receive only while it is `active`. `none`: no licence is bound; all other fields are then null or false',
    },
    ({ subscription, moment: { now, graceMs } }) =>
      subscription === null ? 'none' : statusAt(subscription, now, graceMs),
  ],
  source: [{ ...orNull(sourceWord), description: sourceNote }, (licensed) => bound(licensed)?.source ?? null],
  tier: [orNull(tierWord), (licensed) => bound(licensed)?.tier ?? null],
  expires_at: [
    { ...orNull(timestamp), description: expiryNote },
    (licensed) => toIso(bound(licensed)?.expiresAt ?? null),
  ],
  auto_renew: [
    { ...flag, default: false, description: renewalNote },
    (licensed) => {
      const subscription = bound(licensed);
      return subscription !== null && willRenew(subscription, licensed.moment);
    },
  ],
});
