import type { Subscription } from '../../rules/licences/subscription.ts';
import { entity } from './entity.ts';
import { flag, integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';

export const subscriptions = entity<Subscription>('subscriptions', {
  fields: {
    id: text(),
    accountId: text(),
    status: text(),
    source: text(),
    tier: text(),
    startsAt: integer(),
    expiresAt: integerOrNull(),
    autoRenew: flag(),
    externalId: textOrNull(),
    billed: jsonOrNull(),
    createdAt: integer(),
  },
  indexes: {
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'subscriptions_of_account',
      database: 'of_account',
    },
    byExternalId: {
      on: ['externalId'],
      where: { present: 'externalId' },
      file: 'subscriptions_by_external_id',
      database: 'external_id',
    },
    ending: {
      on: ['source', 'expiresAt', 'id'],
      where: { is: { status: 'active' } },
      file: 'active_subscriptions_by_end',
    },
    endingOfAccount: {
      on: ['accountId', 'expiresAt', 'id'],
      where: { is: { status: 'active' } },
      file: 'active_subscriptions_of_account_by_end',
      database: 'ending_of_account',
    },
    // A database has the two as one index.
    byStatus: {
      on: ['status', 'accountId', 'expiresAt', 'id'],
      file: 'subscriptions_by_status',
      database: 'ending_of_account',
    },
  },
  inDatabase: {
    ending: { key: { status: 1, source: 1, expiresAt: 1, _id: 1 } },
    ending_of_account: { key: { status: 1, accountId: 1, expiresAt: 1, _id: 1 } },
  },
});
