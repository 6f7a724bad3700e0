import type { Channel } from '../../../../domain/channels/channel.ts';
import type { WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import type { Grant } from '../../../../use-cases/ports/reservations.ts';
import { flag, id, integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';
import type { Fields } from './fields.ts';
import { columnName } from './columns.ts';
import { Table } from './table.ts';

/**
 * A reservation stands in the channel's own row, so that exchange is one UPDATE. A new channel's row holds claim and slot in
 * `identity` and `subscriptionId` from the start; a channel to be revived holds the reserved ones beside its own.
 */
export interface Reserved {
  reservedCodeHash: string | null;
  reservedExpiresAt: number | null;
  reservedApiKeyId: string | null;
  reservedIdentity: string | null;
  reservedSubscriptionId: string | null;
  reservedGrant: Grant | null;
}

/** What a person granted in the dialog and exchange puts on the channel. */
const grantFields: Fields<Pick<Channel, keyof Grant>> = {
  name: textOrNull(),
  profile: jsonOrNull(),
  subscribedAsset: textOrNull(),
  token: textOrNull(),
};

/** What PATCH and exchange set. */
const webhookFields: Fields<Pick<Channel, keyof WebhookSettings>> = {
  webhookUrl: textOrNull(),
  webhookSecret: textOrNull(),
  webhookEvents: jsonOrNull(),
  echoStatuses: flag(),
};

const channelFields: Fields<Channel> = {
  id: id(),
  accountId: text(),
  channelType: text(),
  identity: textOrNull(),
  isActive: flag(),
  ...grantFields,
  ...webhookFields,
  subscriptionId: textOrNull(),
  connectedAt: integerOrNull(),
  createdAt: integer(),
};

const reservedFields: Fields<Reserved> = {
  reservedCodeHash: textOrNull(),
  reservedExpiresAt: integerOrNull(),
  reservedApiKeyId: textOrNull(),
  reservedIdentity: textOrNull(),
  reservedSubscriptionId: textOrNull(),
  reservedGrant: jsonOrNull(),
};

export const channels = new Table<Channel & Reserved>(
  'channels',
  { ...channelFields, ...reservedFields },
  {
    indexes: {
      channels_of_account: '(account_id, created_at, id) where connected_at is not null',
      channels_by_code_expiry: '(reserved_expires_at) where reserved_expires_at is not null',
      active_channels_by_asset: '(subscribed_asset) where is_active = 1',
    },
    uniqueIndexes: {
      channels_by_identity: '(channel_type, identity) where identity is not null',
      channels_by_slot: '(subscription_id, channel_type) where subscription_id is not null',
      channels_by_reserved_identity: '(channel_type, reserved_identity) where reserved_identity is not null',
      channels_by_reserved_slot:
        '(reserved_subscription_id, channel_type) where reserved_subscription_id is not null',
      channels_by_code: '(reserved_code_hash) where reserved_code_hash is not null',
    },
  },
);

/** A channel without what is reserved on it. */
export const ownColumns = channels.part(channelFields);
export const reservedColumns = channels.part(reservedFields);
export const grantColumns = channels.part(grantFields);
export const profileColumn = channels.part({ profile: grantFields.profile });
export const webhookColumns = channels.part(webhookFields);
export const secretColumns = channels.pick('id', 'token', 'webhookSecret');

/** Ends a reservation, as part of an update. */
export const noReservation = Object.keys(reservedFields)
  .map((key) => `${columnName(key)} = null`)
  .join(', ');
