import type { Subscription } from '../../../../domain/licences/subscription.ts';
import { flag, id, integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

export const subscriptions = new Table<Subscription>(
  'subscriptions',
  {
    id: id(),
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
  {
    indexes: {
      subscriptions_of_account: '(account_id, created_at, id)',
      active_subscriptions_by_end: "(source, expires_at, id) where status = 'active'",
      subscriptions_by_external_id: '(external_id) where external_id is not null',
    },
  },
);
