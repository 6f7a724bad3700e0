import { entity, entityBy } from '../../storage/entities/entity.ts';
import {
  integer,
  integerOrNull,
  jsonOrNull,
  text,
  textOrNull,
  flagOrNull,
} from '../../storage/entities/fields.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';

/** What must follow a change of a channel. `id`: kind and subject. */
export interface FollowUp {
  id: string;
  /** An owner reads its settings; the asset of a channel that was removed is unsubscribed; channels move to and from a licence. */
  kind: 'reload' | 'unsubscribe' | 'rebind';
  /** The owner, the channel, or the licence. */
  subject: string;
  dueAt: number;
  since: number;
}

export const followUps = entity<FollowUp>('follow_ups', {
  fields: { id: text(), kind: text(), subject: text(), dueAt: integer(), since: integer() },
  indexes: { due: { on: ['dueAt', 'id'], file: 'follow_ups_by_due', database: 'due' } },
});

/** A word by which an account finds a channel; `id`: the channel's id and the word. */
export interface ChannelWord {
  id: string;
  accountId: string;
  word: string;
  channelId: string;
}

export const channelWords = entity<ChannelWord>('channel_words', {
  fields: { id: text(), accountId: text(), word: text(), channelId: text() },
  indexes: {
    byWord: {
      on: ['accountId', 'word', 'channelId'],
      file: 'channel_words_by_word',
      database: 'by_word',
    },
  },
});

export const channelHealth = entityBy<ChannelHealth>('channel_health', ['channelId'], {
  fields: {
    channelId: text(),
    token: textOrNull(),
    isSubscribed: flagOrNull(),
    qualityRating: textOrNull(),
    checkedAt: integerOrNull(),
    inboundAt: integerOrNull(),
    statusAt: integerOrNull(),
    deliveredAt: integerOrNull(),
    deliveryFailedAt: integerOrNull(),
    failingSince: integerOrNull(),
    warnedAt: integerOrNull(),
    lastFailure: textOrNull(),
    problems: jsonOrNull(),
    troubledSince: integerOrNull(),
    problemsVersion: integerOrNull(),
    registrations: jsonOrNull(),
    untold: jsonOrNull(),
    tellAt: integerOrNull(),
    accountId: textOrNull(),
  },
  indexes: {
    troubled: {
      on: ['troubledSince', 'channelId'],
      where: { present: 'troubledSince' },
      file: 'troubled_channels',
      database: 'troubled',
    },
    untold: {
      on: ['tellAt', 'channelId'],
      where: { present: 'tellAt' },
      file: 'untold_channels',
      database: 'untold',
    },
    failing: {
      on: ['failingSince', 'channelId'],
      where: { present: 'failingSince' },
      file: 'failing_channels',
      database: 'failing',
    },
    byToken: {
      on: ['token', 'channelId'],
      where: { present: 'token' },
      file: 'channels_by_token',
      database: 'by_token',
    },
    // The same of one account, and whether upstream sends us their events.
    troubledOfAccount: {
      on: ['accountId', 'troubledSince', 'channelId'],
      where: { present: 'troubledSince' },
      file: 'troubled_channels_of_account',
      database: 'troubled_of_account',
    },
    failingOfAccount: {
      on: ['accountId', 'failingSince', 'channelId'],
      where: { present: 'failingSince' },
      file: 'failing_channels_of_account',
      database: 'failing_of_account',
    },
    byTokenOfAccount: {
      on: ['accountId', 'token', 'channelId'],
      where: { present: 'token' },
      file: 'channels_by_token_of_account',
      database: 'by_token_of_account',
    },
    bySubscriptionOfAccount: {
      on: ['accountId', 'isSubscribed', 'channelId'],
      where: { present: 'isSubscribed' },
      file: 'channels_by_subscription_of_account',
      database: 'by_subscription_of_account',
    },
  },
});
