/** Parts of items for readers that need less than the whole item, or must not see its content. */
import type { KnownMessage, PendingDelivery } from '../journal/channel-journal.ts';
import type { Grant } from '../../rules/channels/reservation.ts';
import { settingNames } from '../../rules/channels/settings.ts';
import type { WebhookSettings } from '../channel-holdings.ts';

/** Fields that PATCH and `exchange-code` set. */
export const webhookFields: readonly (keyof WebhookSettings)[] = [
  ...settingNames,
  'previousSecret',
  'previousSecretUntil',
];
export const grantFields = ['name', 'profile', 'subscribedAsset', 'token'] as const satisfies (keyof Grant)[];
/** What a fact needs to know of a message. */
export const knownFields = [
  'id', 'origin', 'recipient', 'state', 'rank', 'deliveryFailed', 'attemptedAt', 'statusAt', 'upstreamIds',
] as const satisfies (keyof KnownMessage)[]; // oxfmt-ignore

// oxfmt-ignore

/** A delivery without its payload, as its channel's owner loads it. */
export const pendingFields = [
  'id', 'event', 'messageId', 'requestId', 'attempts', 'claims', 'firstTriedAt', 'nextDueAt', 'attemptLog', 'createdAt',
  'person', 'sequence',
] as const satisfies (keyof PendingDelivery)[]; // oxfmt-ignore
