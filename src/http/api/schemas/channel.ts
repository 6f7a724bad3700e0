import { problemCodes } from '../../../domain/channels/health.ts';
import { kindOf } from '../../../domain/channels/kinds.ts';
import type { PublicFields } from '../../../domain/channels/profile.ts';
import { toIso } from '../../../kernel/clock.ts';
import type {
  ChannelHealthAnswer,
  ChannelWithLicence,
  ChannelWithSecret,
  SenderProfileAnswer,
} from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import type { Cells } from '../../validation/answer.ts';
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
import { channelTypeWord, nextCursor } from './common.ts';
import { canWork, subscriptionInfo } from './subscription.ts';
import type { Moment } from './subscription.ts';

/** [spec: Channel] Fields for other channel types are null. */
export function makeProfileCell(
  name: keyof PublicFields,
): Cells<Pick<ChannelWithLicence, 'channel'>>[string] {
  return [
    orNull(string),
    ({ channel }) => kindOf(channel.channelType).publicFields(channel.profile)[name] ?? null,
  ];
}

/** [spec: Channel] */
export const channelOut = answer<ChannelWithLicence & { moment: Moment }>('ChannelOut', {
  id: [ourId, ({ channel }) => channel.id],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  name: [orNull(string), ({ channel }) => channel.name],
  is_active: [flag, ({ channel, subscription, moment }) => canWork(channel, subscription, moment)],
  phone_number_id: makeProfileCell('phone_number_id'),
  phone_number: makeProfileCell('phone_number'),
  business_account_id: makeProfileCell('business_account_id'),
  quality_rating: makeProfileCell('quality_rating'),
  photoapp_account_id: makeProfileCell('photoapp_account_id'),
  photoapp_username: makeProfileCell('photoapp_username'),
  page_id: makeProfileCell('page_id'),
  webhook_url: [orNull(string), ({ channel }) => channel.webhookUrl],
  has_webhook_secret: [{ ...flag, default: false }, ({ channel }) => channel.webhookSecret !== null],
  webhook_events: [orNull(listOf(string)), ({ channel }) => channel.webhookEvents],
  echo_statuses: [flag, ({ channel }) => channel.echoStatuses],
  failed_retention_days: [
    {
      ...count,
      description: 'Days that an event which was given up can be sent again; 0: its content is erased',
    },
    ({ channel }) => channel.failedRetentionDays,
  ],
  keep_answers: [
    { ...flag, description: 'What the receiver answers is kept of 2xx too, not of failures alone' },
    ({ channel }) => channel.keepAnswers,
  ],
  connected_at: [orNull(timestamp), ({ channel }) => toIso(channel.connectedAt)],
  created_at: [orNull(timestamp), ({ channel }) => toIso(channel.createdAt)],
  subscription: [subscriptionInfo.schema, subscriptionInfo.of],
});

export const channelListResponse = responseObject(
  'ChannelListResponse',
  { channels: listOf(channelOut.schema), total: count },
  nextCursor,
);

const healthProblem = answer<ChannelHealthAnswer['problems'][number]>('HealthProblem', {
  code: [openWords(problemCodes), ({ code }) => code],
  affects: [listOf(openWords(['send', 'receive', 'events'])), ({ affects }) => affects],
  detail: [{ ...string, description: 'What is the matter and what to do' }, ({ detail }) => detail],
});

const isUnaffected =
  (what: 'send' | 'receive') =>
  ({ problems }: ChannelHealthAnswer): boolean =>
    !problems.some(({ affects }) => affects.includes(what));

/** Additive: whether a channel can send and receive, and the problems that prevent it. */
export const channelHealthResponse = answer<ChannelHealthAnswer>('ChannelHealthResponse', {
  channel_id: [ourId, ({ channel }) => channel.id],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  can_send: [flag, isUnaffected('send')],
  can_receive: [flag, isUnaffected('receive')],
  problems: [listOf(healthProblem.schema), ({ problems }) => problems.map(healthProblem.of)],
  token: [orNull(openWords(['valid', 'refused'])), ({ health }) => health.token],
  upstream_subscription: [
    { type: ['boolean', 'null'], description: 'Whether upstream tells us of messages' },
    ({ health }) => health.isSubscribed,
  ],
  quality_rating: [orNull(string), ({ health }) => health.qualityRating],
  checked_at: [orNull(timestamp), ({ health }) => toIso(health.checkedAt)],
  last_inbound_at: [orNull(timestamp), ({ health }) => toIso(health.inboundAt)],
  last_status_at: [orNull(timestamp), ({ health }) => toIso(health.statusAt)],
  last_delivery_at: [orNull(timestamp), ({ health }) => toIso(health.deliveredAt)],
  last_failed_delivery_at: [orNull(timestamp), ({ health }) => toIso(health.deliveryFailedAt)],
});

/** [spec: SenderProfileResponse] */
export const senderProfileResponse = answer<SenderProfileAnswer>('SenderProfileResponse', {
  channel_id: [ourId, ({ channelId }) => channelId],
  channel_type: [channelTypeWord, ({ channelType }) => channelType],
  user_id: [string, ({ userId }) => userId],
  profile: [
    {
      ...orNull(openObject),
      description: 'As upstream shows it; null: it shows none',
      examples: [{ first_name: 'Mia', last_name: 'Vogel', profile_pic: 'https://files.example/mia.jpg' }],
    },
    ({ profile }) => profile,
  ],
  cached: [{ ...flag, default: false }, ({ cached }) => cached],
});

/** Fields of a channel's webhook in the answer to a call that sets it. */
export const webhookCells: Cells<ChannelWithSecret> = {
  webhook_url: [orNull(string), ({ channel }) => channel.webhookUrl],
  webhook_secret: [orNull(string), ({ webhookSecret }) => webhookSecret],
  webhook_events: [orNull(listOf(string)), ({ channel }) => channel.webhookEvents],
};

/** [spec: ChannelUpdateResponse] */
export const channelUpdateResponse = answer<ChannelWithSecret>('ChannelUpdateResponse', {
  id: [ourId, ({ channel }) => channel.id],
  ...webhookCells,
});
