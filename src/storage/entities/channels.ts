import type { Channel } from '../../rules/channels/channel.ts';
import { entity, entityBy } from './entity.ts';
import { flag, integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';
import type { Fields } from './fields.ts';
import type { Grant } from '../../rules/channels/reservation.ts';
import { namesIn } from '../../kernel/names-in.ts';
import { settingsAtFirst } from '../../rules/channels/settings.ts';

/** The reservation on a channel. A document holds it as one member, beside the claims and slots that it takes. */
export interface Reserved {
  reservedCodeHash: string | null;
  reservedExpiresAt: number | null;
  reservedApiKeyId: string | null;
  reservedIdentity: string | null;
  reservedSubscriptionId: string | null;
  reservedGrant: Grant | null;
}

const ofChannel: Fields<Channel> = {
  id: text(),
  accountId: text(),
  channelType: text(),
  identity: textOrNull(),
  isActive: flag(),
  name: textOrNull(),
  profile: jsonOrNull(),
  subscribedAsset: textOrNull(),
  token: textOrNull(),
  tokenExpiresAt: integerOrNull(),
  sendsPausedAt: integerOrNull(),
  sendsResumedAt: integerOrNull(),
  webhookUrl: textOrNull(),
  webhookSecret: textOrNull(),
  previousSecret: textOrNull(),
  previousSecretUntil: integerOrNull(),
  webhookEvents: jsonOrNull(),
  echoStatuses: flag(),
  failedRetentionDays: integer({ before: settingsAtFirst.failedRetentionDays }),
  keepAnswers: flag({ before: settingsAtFirst.keepAnswers }),
  ordered: flag({ before: settingsAtFirst.ordered }),
  hasEndpoints: flag({ before: false }),
  subscriptionId: textOrNull(),
  connectedAt: integerOrNull(),
  createdAt: integer(),
};

const ofReservation: Fields<Reserved> = {
  reservedCodeHash: textOrNull(),
  reservedExpiresAt: integerOrNull(),
  reservedApiKeyId: textOrNull(),
  reservedIdentity: textOrNull(),
  reservedSubscriptionId: textOrNull(),
  reservedGrant: jsonOrNull(),
};

/** A channel without its reservation. */
export const channelFields = namesIn(ofChannel);
export const reservedFields = namesIn(ofReservation);

const present = (field: string) => ({ [field]: { $exists: true } });

/**
 * In a file a reservation is part of the channel's row, so that an exchange is one UPDATE. The row of a new channel has claim and slot in
 * `identity` and `subscriptionId` from the start; a channel to be revived has the reserved ones beside its own.
 */
export const channels = entity<Channel & Reserved>('channels', {
  fields: { ...ofChannel, ...ofReservation },
  indexes: {
    // The primary key.
    byId: { on: ['id'] },
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'connectedAt' },
      file: 'channels_of_account',
      database: 'of_account',
    },
    // The oldest active and inactive channel of a kind.
    ofKind: {
      on: ['accountId', 'channelType', 'isActive', 'createdAt', 'id'],
      where: { present: 'connectedAt' },
      file: 'channels_of_kind',
      database: 'of_kind',
    },
    // The active channels without a licence have a list of their own.
    byLicence: {
      on: ['accountId', 'isActive', 'subscriptionId', 'createdAt', 'id'],
      where: { present: 'connectedAt' },
      file: 'channels_by_licence',
      database: 'by_licence',
    },
    // A file has it for the slots, too.
    onLicence: {
      on: ['subscriptionId', 'channelType'],
      where: { present: 'subscriptionId' },
      isUnique: true,
      file: 'channels_by_slot',
      database: 'on_licence',
    },
    onAsset: {
      on: ['subscribedAsset'],
      where: { is: { isActive: true } },
      file: 'active_channels_by_asset',
    },
  },
  inFile: {
    indexes: { channels_by_code_expiry: '(reserved_expires_at) where reserved_expires_at is not null' },
    uniqueIndexes: {
      channels_by_identity: '(channel_type, identity) where identity is not null',
      channels_by_reserved_identity: '(channel_type, reserved_identity) where reserved_identity is not null',
      channels_by_reserved_slot:
        '(reserved_subscription_id, channel_type) where reserved_subscription_id is not null',
      channels_by_code: '(reserved_code_hash) where reserved_code_hash is not null',
    },
  },
  inDatabase: {
    // Arrays, because a held and a reserved identity or slot are taken alike. [faults: 79, 80]
    claims: { key: { claims: 1 }, isUnique: true, filter: present('claims') },
    slots: { key: { slots: 1 }, isUnique: true, filter: present('slots') },
    code: {
      key: { 'reservation.codeHash': 1 },
      isUnique: true,
      filter: present('reservation.codeHash'),
    },
    code_expiry: { key: { 'reservation.codeExpiresAt': 1 }, filter: present('reservation.codeExpiresAt') },
    on_licence: { key: { subscriptionId: 1, channelType: 1 }, filter: present('subscriptionId') },
    on_asset: { key: { subscribedAsset: 1 }, filter: present('subscribedAsset') },
  },
});

/** The last epoch of each channel. A file has one entry, '*', for the whole process. */
export const owners = entityBy<{ channelId: string; epoch: number }>('owners', ['channelId'], {
  fields: { channelId: text(), epoch: integer() },
  indexes: {},
});
