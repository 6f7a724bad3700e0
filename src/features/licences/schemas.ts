import type { Channel } from '../../rules/channels/channel.ts';
import { statusAt } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { byChannelType, channelTypes } from '../../rules/vocabulary.ts';
import { toIso } from '../../kernel/clock.ts';
import type { SubscriptionWithChannels } from './types.ts';
import {
  canWork,
  expiryNote,
  renewalNote,
  sourceNote,
  willRenew,
} from '../../http/schemas/subscription-info.ts';
import type { Licensed, Moment } from '../../http/schemas/subscription-info.ts';
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
