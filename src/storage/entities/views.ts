/** Parts of items for readers that need less than the whole item, or must not see its content. */
import type { KnownMessage, PendingDelivery } from '../journal/channel-journal.ts';
import type { MessageRecord } from '../../features/messages/timeline-rules.ts';
import type { WebhookSettings } from '../../features/channels/port.ts';
import type { LoggedDelivery } from '../../features/deliveries/port.ts';
import type { Grant } from '../../upstream/connecting-port.ts';

/** Fields that PATCH and `exchange-code` set. */
export const webhookFields = [
  'webhookUrl', 'webhookSecret', 'previousSecret', 'previousSecretUntil', 'webhookEvents', 'echoStatuses',
  'failedRetentionDays', 'keepAnswers',
] as const satisfies (keyof WebhookSettings)[]; // oxfmt-ignore
export const grantFields = ['name', 'profile', 'subscribedAsset', 'token'] as const satisfies (keyof Grant)[];
/** What a fact needs to know of a message. */
export const knownFields = [
  'id', 'origin', 'recipient', 'state', 'rank', 'deliveryFailed', 'attemptedAt', 'statusAt', 'upstreamIds',
] as const satisfies (keyof KnownMessage)[]; // oxfmt-ignore

/** A message without its content. */
export const recordFields = [
  'id', 'channelId', 'accountId', 'channelType', 'origin', 'recipient', 'state', 'rank', 'deliveryFailed', 'copies',
  'messageType', 'tries', 'attemptedAt', 'statusAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'nextTryAt', 'upstreamIds', 'calls',
  'error', 'errorCode', 'epoch', 'createdAt',
] as const satisfies (keyof MessageRecord)[]; // oxfmt-ignore

/** A delivery as its account sees it. */
export const loggedFields = [
  'id', 'channelId', 'accountId', 'event', 'messageId', 'requestId', 'state', 'attempts', 'firstTriedAt', 'nextDueAt', 'lastResult',
  'attemptLog', 'person', 'messageType', 'createdAt', 'keptSince',
] as const satisfies (keyof LoggedDelivery)[]; // oxfmt-ignore

/** A delivery without its payload, as its channel's owner loads it. */
export const pendingFields = [
  'id', 'event', 'messageId', 'requestId', 'attempts', 'claims', 'firstTriedAt', 'nextDueAt', 'attemptLog', 'createdAt',
] as const satisfies (keyof PendingDelivery)[]; // oxfmt-ignore
