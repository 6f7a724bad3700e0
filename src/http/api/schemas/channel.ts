import {
  count,
  flag,
  listOf,
  openObject,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../validation/json-schema.ts';
import { problemCodes } from '../../../domain/channels/health.ts';
import { channelTypeWord, nextCursor } from './common.ts';
import { subscriptionInfo } from './subscription.ts';

/** [spec: Channel] */
export const channelOut = responseObject('ChannelOut', {
  id: ourId,
  channel_type: channelTypeWord,
  name: orNull(string),
  is_active: flag,
  phone_number_id: orNull(string),
  phone_number: orNull(string),
  business_account_id: orNull(string),
  quality_rating: orNull(string),
  photoapp_account_id: orNull(string),
  photoapp_username: orNull(string),
  page_id: orNull(string),
  webhook_url: orNull(string),
  has_webhook_secret: { ...flag, default: false },
  webhook_events: orNull(listOf(string)),
  echo_statuses: flag,
  connected_at: orNull(timestamp),
  created_at: orNull(timestamp),
  subscription: subscriptionInfo,
});

export const channelListResponse = responseObject(
  'ChannelListResponse',
  { channels: listOf(channelOut), total: count },
  nextCursor,
);

const healthProblem = responseObject('HealthProblem', {
  code: openWords(problemCodes),
  affects: listOf(openWords(['send', 'receive', 'events'])),
  detail: { ...string, description: 'What is the matter and what to do' },
});

/** Additive: why a channel can or can't send and receive. */
export const channelHealthResponse = responseObject('ChannelHealthResponse', {
  channel_id: ourId,
  channel_type: channelTypeWord,
  can_send: flag,
  can_receive: flag,
  problems: listOf(healthProblem),
  token: orNull(openWords(['valid', 'refused'])),
  upstream_subscription: { type: ['boolean', 'null'], description: 'Whether upstream tells us of messages' },
  quality_rating: orNull(string),
  checked_at: orNull(timestamp),
  last_inbound_at: orNull(timestamp),
  last_status_at: orNull(timestamp),
  last_delivery_at: orNull(timestamp),
  last_failed_delivery_at: orNull(timestamp),
});

/** [spec: SenderProfileResponse] */
export const senderProfileResponse = responseObject('SenderProfileResponse', {
  channel_id: ourId,
  channel_type: channelTypeWord,
  user_id: string,
  profile: {
    ...orNull(openObject),
    description: 'As upstream shows it; null: it shows none',
    examples: [{ first_name: 'Mia', last_name: 'Vogel', profile_pic: 'https://files.example/mia.jpg' }],
  },
  cached: { ...flag, default: false },
});

/** [spec: ChannelUpdateResponse] */
export const channelUpdateResponse = responseObject('ChannelUpdateResponse', {
  id: ourId,
  webhook_url: orNull(string),
  webhook_secret: orNull(string),
  webhook_events: orNull(listOf(string)),
});
