import type { Delivery } from '../../../../domain/webhooks/delivery.ts';
import { bytesOrNull, id, integer, integerOrNull, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

export const deliveries = new Table<Delivery>(
  'deliveries',
  {
    id: id(),
    channelId: text(),
    accountId: text(),
    event: text(),
    messageId: text(),
    state: text(),
    attempts: integer(),
    firstTriedAt: integerOrNull(),
    nextDueAt: integer(),
    lastResult: textOrNull(),
    epoch: integer(),
    createdAt: integer(),
    attemptLog: textOrNull(),
    requestId: textOrNull(),
    payload: bytesOrNull(),
  },
  {
    indexes: {
      pending_deliveries: "(channel_id, next_due_at) where state = 'pending'",
      deliveries_by_age: '(created_at)',
      delivery_log: '(channel_id, created_at, id)',
      // Among a million delivered ones a failed one would be hard to find.
      failed_deliveries: "(channel_id, created_at, id) where state = 'failed'",
    },
  },
);
