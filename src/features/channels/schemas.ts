import { tokenEnd } from '../../rules/channels/channel.ts';
import { problemCodes } from '../../rules/channels/health.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { PublicFields } from '../../rules/channels/profile.ts';
import { toIso } from '../../kernel/clock.ts';
import type { ChannelHealthAnswer, ChannelWithLicence, ChannelWithSecret } from './types.ts';
import { answer } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
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
import { channelTypeWord, nextCursor } from '../../http/schemas/common.ts';
import { kindNotes, profileNotes } from '../../http/schemas/kind-notes.ts';
import { canWork, subscriptionInfo } from '../../http/schemas/subscription-info.ts';
import type { Moment } from '../../http/schemas/subscription-info.ts';
import { settingCells } from './settings-in-calls.ts';

/** [spec: Channel] Fields for other channel types are null. */
export function makeProfileCell(
  name: keyof PublicFields,
): Cells<Pick<ChannelWithLicence, 'channel'>>[string] {
  return [
    { ...orNull(string), description: profileNotes[name] },
    ({ channel }) => kindOf(channel.channelType).publicFields(channel.profile)[name] ?? null,
  ];
}

/** [spec: Channel] */
export const channelOut = answer<ChannelWithLicence & { moment: Moment }>('ChannelOut', {
  id: [
    { ...ourId, description: 'The `channel_id` of all other channel and message calls' },
    ({ channel }) => channel.id,
  ],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  name: [
    {
      ...orNull(string),
      description: kindNotes.name,
    },
    ({ channel }) => channel.name,
  ],
  is_active: [
    {
      ...flag,
      description: 'True if the channel can send and receive now: it is connected and its licence is active',
    },
    ({ channel, subscription, moment }) => canWork(channel, subscription, moment),
  ],
  phone_number_id: makeProfileCell('phone_number_id'),
  phone_number: makeProfileCell('phone_number'),
  business_account_id: makeProfileCell('business_account_id'),
  quality_rating: makeProfileCell('quality_rating'),
  photoapp_account_id: makeProfileCell('photoapp_account_id'),
  photoapp_username: makeProfileCell('photoapp_username'),
  page_id: makeProfileCell('page_id'),
  ...settingCells,
  connected_at: [orNull(timestamp), ({ channel }) => toIso(channel.connectedAt)],
  created_at: [orNull(timestamp), ({ channel }) => toIso(channel.createdAt)],
  subscription: [subscriptionInfo.schema, subscriptionInfo.of],
});

export const channelListResponse = responseObject(
  'ChannelListResponse',
  {
    channels: listOf(channelOut.schema),
    total: { ...count, description: 'Number of channels in this response' },
  },
  nextCursor,
);

export const healthProblem = answer<ChannelHealthAnswer['problems'][number]>('HealthProblem', {
  code: [openWords(problemCodes), 'code'],
  affects: [
    {
      ...listOf(openWords(['send', 'receive', 'events'])),
      description:
        'What the problem prevents: `send`: sending; `receive`: receiving from upstream; `events`: the delivery of events to `webhook_url`',
    },
    'affects',
  ],
  detail: [{ ...string, description: 'What is wrong and, where possible, what to do' }, 'detail'],
  since: [
    { ...orNull(timestamp), description: 'When the problem began, if it is on record; otherwise null' },
    ({ since }) => toIso(since ?? null),
  ],
  next_try_at: [
    {
      ...orNull(timestamp),
      description: 'When the service next tries by itself to end the problem; null: it does not',
    },
    ({ nextTryAt }) => toIso(nextTryAt ?? null),
  ],
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
  problems: [
    {
      ...listOf(healthProblem.schema),
      description: 'Everything that is wrong, the most basic problem first; empty: nothing is',
    },
    ({ problems }) => problems.map(healthProblem.of),
  ],
  token: [
    {
      ...orNull(openWords(['valid', 'refused'])),
      description: "Whether upstream accepts the channel's access token; null: not known",
    },
    ({ health }) => health.token,
  ],
  token_expires_at: [
    {
      ...orNull(timestamp),
      description:
        'When the access token ends; the service renews it before if upstream allows. null: it has no end, or the end is not known',
    },
    ({ channel }) => toIso(tokenEnd(channel)),
  ],
  upstream_subscription: [
    {
      type: ['boolean', 'null'],
      description:
        "True if the service is subscribed to the channel's events at the upstream platform; null: not known",
    },
    ({ health }) => health.isSubscribed,
  ],
  quality_rating: [
    { ...orNull(string), description: profileNotes.quality_rating },
    ({ health }) => health.qualityRating,
  ],
  checked_at: [
    { ...orNull(timestamp), description: 'When upstream last answered a check of the channel; null: never' },
    ({ health }) => toIso(health.checkedAt),
  ],
  last_inbound_at: [
    { ...orNull(timestamp), description: 'When the last inbound message arrived; null: never' },
    ({ health }) => toIso(health.inboundAt),
  ],
  last_status_at: [
    { ...orNull(timestamp), description: 'When the last delivery status arrived from upstream; null: never' },
    ({ health }) => toIso(health.statusAt),
  ],
  last_delivery_at: [
    { ...orNull(timestamp), description: 'When an event was last delivered to `webhook_url`; null: never' },
    ({ health }) => toIso(health.deliveredAt),
  ],
  last_failed_delivery_at: [
    {
      ...orNull(timestamp),
      description: 'When an attempt to deliver an event to `webhook_url` last failed; null: never',
    },
    ({ health }) => toIso(health.deliveryFailedAt),
  ],
});

/** Fields of a channel's webhook in the answer to a call that sets it. */
export const webhookCells: Cells<ChannelWithSecret> = {
  webhook_url: [
    { ...orNull(string), description: 'URL to which the service POSTs events' },
    ({ channel }) => channel.webhookUrl,
  ],
  webhook_secret: [
    {
      ...orNull(string),
      description: 'The HMAC secret, if this call set or generated it; it is not shown again. Otherwise null',
    },
    'webhookSecret',
  ],
  webhook_events: [
    { ...orNull(listOf(string)), description: 'Event types that the service delivers; null or empty: none' },
    ({ channel }) => channel.webhookEvents,
  ],
};

/** [spec: ChannelUpdateResponse] All settings as they are now, so that a name that was ignored is noticed. */
export const channelUpdateResponse = answer<ChannelWithSecret>('ChannelUpdateResponse', {
  id: [ourId, ({ channel }) => channel.id],
  ...settingCells,
  ...webhookCells,
});
