/** What clients see of our entities: every field by name, so that a new field of an entity never leaks. [faults API3] */
import type { Redirect } from '../../domain/accounts/account.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import type { PublicFields } from '../../domain/channels/profile.ts';
import { byChannelType } from '../../domain/vocabulary.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { isOperable, statusAt } from '../../domain/licences/operability.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import { isoOf } from '../../kernel/clock.ts';
import type {
  ChannelHealthAnswer,
  ChannelWithLicence,
  ChannelWithSecret,
  SendAnswer,
  SenderProfileAnswer,
  SubscriptionWithChannels,
} from '../../use-cases/index.ts';

/** What a licence's status depends on besides the licence. Ms. */
export interface Moment {
  now: number;
  graceMs: number;
}

/** [spec: Channel] */
export function channelOut({ channel, subscription }: ChannelWithLicence, moment: Moment) {
  const only = fieldsOf(channel);
  return {
    id: channel.id,
    channel_type: channel.channelType,
    name: channel.name,
    is_active: canWork(channel, subscription, moment),
    phone_number_id: only.phone_number_id,
    phone_number: only.phone_number,
    business_account_id: only.business_account_id,
    quality_rating: only.quality_rating,
    photoapp_account_id: only.photoapp_account_id,
    photoapp_username: only.photoapp_username,
    page_id: only.page_id,
    webhook_url: channel.webhookUrl,
    has_webhook_secret: channel.webhookSecret !== null,
    webhook_events: channel.webhookEvents,
    echo_statuses: channel.echoStatuses,
    connected_at: isoOf(channel.connectedAt),
    created_at: isoOf(channel.createdAt),
    subscription: subscriptionInfo(subscription, moment),
  };
}

/** [spec: Channel: can currently send and receive] Its own activity and an operable licence. [operator-interface §4] */
function canWork(
  { isActive }: Channel,
  subscription: Subscription | null,
  { now, graceMs }: Moment,
): boolean {
  return isActive && isOperable(subscription, now, graceMs);
}

/** [spec: Channel] Fields for other channel types are null. */
function fieldsOf({ channelType, profile }: Channel): PublicFields {
  const own = kindOf(channelType).publicFields(profile);
  return {
    phone_number_id: own.phone_number_id ?? null,
    phone_number: own.phone_number ?? null,
    business_account_id: own.business_account_id ?? null,
    quality_rating: own.quality_rating ?? null,
    photoapp_account_id: own.photoapp_account_id ?? null,
    photoapp_username: own.photoapp_username ?? null,
    page_id: own.page_id ?? null,
  };
}

/** [spec: SubscriptionInfo] With status `none` all other fields are null or false. */
export function subscriptionInfo(subscription: Subscription | null, moment: Moment) {
  const status = subscription === null ? 'none' : statusAt(subscription, moment.now, moment.graceMs);
  if (subscription === null || status === 'none')
    return { status: 'none', source: null, tier: null, expires_at: null, auto_renew: false };
  return {
    status,
    source: subscription.source,
    tier: subscription.tier,
    expires_at: isoOf(subscription.expiresAt),
    auto_renew: willRenew(subscription, moment),
  };
}

/** [spec: SubscriptionInfo] True only for an active `billing_provider` subscription with no scheduled cancellation. */
function willRenew(subscription: Subscription, { now, graceMs }: Moment): boolean {
  const isActive = statusAt(subscription, now, graceMs) === 'active';
  return subscription.autoRenew && subscription.source === 'billing_provider' && isActive;
}

/** [spec: SubscriptionOut] It has no word for a licence that the provider holds back: it is shown as one that has lapsed. */
export function subscriptionOut({ subscription, channels }: SubscriptionWithChannels, moment: Moment) {
  const status = statusAt(subscription, moment.now, moment.graceMs);
  return {
    id: subscription.id,
    status: status === 'none' ? 'expired' : status,
    source: subscription.source,
    tier: subscription.tier,
    starts_at: isoOf(subscription.startsAt),
    expires_at: isoOf(subscription.expiresAt),
    auto_renew: willRenew(subscription, moment),
    assigned_channels: byChannelType((type) => assignedChannel(channels, type, subscription, moment)),
  };
}

function assignedChannel(
  channels: readonly Channel[],
  type: ChannelType,
  subscription: Subscription,
  moment: Moment,
) {
  const channel = channels.find((one) => one.channelType === type);
  if (channel === undefined) return null;
  const isActive = canWork(channel, subscription, moment);
  return { channel_id: channel.id, channel_type: type, name: channel.name, is_active: isActive };
}

/** [spec: ChannelUpdateResponse] */
export function channelUpdateResponse({ channel, webhookSecret }: ChannelWithSecret) {
  return {
    id: channel.id,
    webhook_url: channel.webhookUrl,
    webhook_secret: webhookSecret,
    webhook_events: channel.webhookEvents,
  };
}

/** [spec: ExchangeCodeResponse] */
export function exchangeCodeResponse({ channel, webhookSecret }: ChannelWithSecret) {
  const only = fieldsOf(channel);
  return {
    channel_id: channel.id,
    channel_type: channel.channelType,
    name: channel.name,
    phone_number_id: only.phone_number_id,
    phone_number: only.phone_number,
    photoapp_account_id: only.photoapp_account_id,
    photoapp_username: only.photoapp_username,
    page_id: only.page_id,
    webhook_url: channel.webhookUrl,
    webhook_secret: webhookSecret,
    webhook_events: channel.webhookEvents,
  };
}

/** [spec: RedirectOut] */
export function redirectOut(redirect: Redirect) {
  return { id: redirect.id, uri_pattern: redirect.uriPattern, created_at: isoOf(redirect.createdAt) };
}

/** [spec: Send responses; Send error codes] `error_code` is there only when the failure came from upstream. */
export function sendMessageResponse(answer: SendAnswer) {
  if (answer.status !== 'failed') {
    return { success: true, message_id: answer.messageId, error: null, status: answer.status };
  }
  const code = answer.errorCode === null ? {} : { error_code: answer.errorCode };
  return {
    success: false,
    message_id: answer.messageId,
    error: answer.error,
    ...code,
    status: answer.status,
  };
}

export function senderProfileResponse(answer: SenderProfileAnswer) {
  const { channelId, channelType, userId, profile, cached } = answer;
  return { channel_id: channelId, channel_type: channelType, user_id: userId, profile, cached };
}

export function channelHealthResponse({ channel, health, problems }: ChannelHealthAnswer) {
  const affects = (what: 'send' | 'receive') => problems.some((problem) => problem.affects.includes(what));
  return {
    channel_id: channel.id,
    channel_type: channel.channelType,
    can_send: !affects('send'),
    can_receive: !affects('receive'),
    problems: problems.map(({ code, affects: what, detail }) => ({ code, affects: what, detail })),
    token: health.token,
    upstream_subscription: health.isSubscribed,
    quality_rating: health.qualityRating,
    checked_at: isoOf(health.checkedAt),
    last_inbound_at: isoOf(health.inboundAt),
    last_status_at: isoOf(health.statusAt),
    last_delivery_at: isoOf(health.deliveredAt),
    last_failed_delivery_at: isoOf(health.deliveryFailedAt),
  };
}
