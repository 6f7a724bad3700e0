import type { IdempotencyRecord } from '../../../../use-cases/ports/messages.ts';
import { integer, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

/** `answer` is JSON. */
export type StoredRecord = Omit<IdempotencyRecord, 'answer'> & { answer: string | null };

export const idempotency = new Table<StoredRecord>(
  'idempotency',
  {
    accountId: text(),
    key: text(),
    bodyHash: text(),
    messageId: text(),
    answer: textOrNull(),
    createdAt: integer(),
  },
  { key: ['account_id', 'key'], indexes: { idempotency_by_age: '(created_at)' } },
);
