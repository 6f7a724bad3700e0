import type { Channel } from '../../rules/channels/channel.ts';
import { isOperable, statusAt } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { byChannelType, channelTypes } from '../../rules/vocabulary.ts';
import { toIso } from '../../kernel/clock.ts';
import type { SubscriptionWithChannels } from './types.ts';
import { answer } from '../../http/validation/response-body.ts';
import {
  count,
  flag,
  listOf,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import {
  channelTypeWord,
  nextCursor,
  sourceWord,
  subscriptionStatuses,
  tierWord,
} from '../../http/schemas/common.ts';

const perChannelType = (title: string, value: JsonSchema): JsonSchema =>
  responseObject(title, Object.fromEntries(channelTypes.map((type) => [type, value])));

/** Inputs of a licence's status besides the licence: current time and grace period, ms. */
export interface Moment {
  now: number;
  graceMs: number;
}

interface Licensed {
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
function willRenew(subscription: Subscription, { now, graceMs }: Moment): boolean {
  const isActive = statusAt(subscription, now, graceMs) === 'active';
  return subscription.autoRenew && subscription.source === 'billing_provider' && isActive;
}

const sourceNote =
  '`trial`: created at sign-up; `billing_provider`: paid through the payment provider; `enterprise`: granted by an operator';
const expiryNote = 'End of the current period; null: no announced end';
const renewalNote = 'True only for an active `billing_provider` subscription with no scheduled cancellation';

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

const assignedChannel = answer<{ channel: Channel } & Licensed>('SubscriptionAssignedChannel', {
  channel_id: [ourId, ({ channel }) => channel.id],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  name: [orNull(string), ({ channel }) => channel.name],
  is_active: [flag, ({ channel, subscription, moment }) => canWork(channel, subscription, moment)],
});

/** [spec: SubscriptionOut] `none` is no status there: a licence that the payment provider holds back is shown as `expired`. */
export function shownStatus(subscription: Subscription, { now, graceMs }: Moment): string {
  const status = statusAt(subscription, now, graceMs);
  return status === 'none' ? 'expired' : status;
}

/** [spec: Subscription] */
export const subscriptionOut = answer<SubscriptionWithChannels & { moment: Moment }>('SubscriptionOut', {
  id: [ourId, ({ subscription }) => subscription.id],
  status: [
    {
      ...openWords(subscriptionStatuses),
      description:
        'Decides whether channels work; during a grace period an `active` subscription has `expires_at` in the past',
    },
    ({ subscription, moment }) => shownStatus(subscription, moment),
  ],
  source: [{ ...sourceWord, description: sourceNote }, ({ subscription }) => subscription.source],
  tier: [tierWord, ({ subscription }) => subscription.tier],
  starts_at: [orNull(timestamp), ({ subscription }) => toIso(subscription.startsAt)],
  expires_at: [
    { ...orNull(timestamp), description: expiryNote },
    ({ subscription }) => toIso(subscription.expiresAt),
  ],
  auto_renew: [
    { ...flag, default: false, description: renewalNote },
    ({ subscription, moment }) => willRenew(subscription, moment),
  ],
  assigned_channels: [
    perChannelType('AssignedChannels', orNull(assignedChannel.schema)),
    ({ subscription, channels, moment }) =>
      byChannelType((type) => {
        const channel = channels.find(({ channelType }) => channelType === type);
        return channel === undefined ? null : assignedChannel.of({ channel, subscription, moment });
      }),
  ],
});

const slotsByTier = responseObject('AvailableSlotsByTier', {
  total: { ...count, description: 'Free slots of both tiers together' },
  starter: { ...count, description: 'Free slots of active `starter` licences' },
  pro: { ...count, description: 'Free slots of active `pro` licences' },
});

/** [spec: Subscriptions response] */
export const subscriptionsResponse = responseObject(
  'SubscriptionsResponse',
  {
    subscriptions: listOf(subscriptionOut.schema),
    total: { ...count, description: 'Number of subscriptions in this response' },
    active_total: { ...count, description: 'Number of subscriptions that are active now' },
    available_slots: perChannelType('AvailableSlots', slotsByTier),
  },
  nextCursor,
);
