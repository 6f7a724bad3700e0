import { channelTypes } from '../../../domain/vocabulary.ts';
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
} from '../../validation/json-schema.ts';
import type { JsonSchema } from '../../validation/json-schema.ts';
import { channelTypeWord, nextCursor, sourceWord, subscriptionStatuses, tierWord } from './common.ts';

const perChannelType = (title: string, value: JsonSchema): JsonSchema =>
  responseObject(title, Object.fromEntries(channelTypes.map((type) => [type, value])));

/** [spec: SubscriptionInfo] */
export const subscriptionInfo = responseObject('SubscriptionInfo', {
  status: openWords([...subscriptionStatuses, 'none']),
  source: orNull(sourceWord),
  tier: orNull(tierWord),
  expires_at: orNull(timestamp),
  auto_renew: { ...flag, default: false },
});

const assignedChannel = responseObject('SubscriptionAssignedChannel', {
  channel_id: ourId,
  channel_type: channelTypeWord,
  name: orNull(string),
  is_active: flag,
});

/** [spec: Subscription] */
export const subscriptionOut = responseObject('SubscriptionOut', {
  id: ourId,
  status: openWords(subscriptionStatuses),
  source: sourceWord,
  tier: tierWord,
  starts_at: orNull(timestamp),
  expires_at: orNull(timestamp),
  auto_renew: { ...flag, default: false },
  assigned_channels: perChannelType('AssignedChannels', orNull(assignedChannel)),
});

const slotsByTier = responseObject('AvailableSlotsByTier', { total: count, starter: count, pro: count });

/** [spec: Subscriptions response] */
export const subscriptionsResponse = responseObject(
  'SubscriptionsResponse',
  {
    subscriptions: listOf(subscriptionOut),
    total: count,
    active_total: count,
    available_slots: perChannelType('AvailableSlots', slotsByTier),
  },
  nextCursor,
);
