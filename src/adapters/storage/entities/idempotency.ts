import type { IdempotencyRecord } from '../../../use-cases/ports/messages.ts';
import { dayMs, entityBy } from './entity.ts';
import { integer, jsonOrNull, text } from './fields.ts';

/** Of concurrent sends with one key, the one whose insert succeeds is the first. */
export const idempotency = entityBy<IdempotencyRecord>('idempotency', ['accountId', 'key'], {
  fields: {
    accountId: text(),
    key: text(),
    bodyHash: text(),
    messageId: text(),
    answer: jsonOrNull({ isForeign: true }),
    createdAt: integer({ isDate: true }),
  },
  shardKey: { _id: 'hashed' },
  indexes: {
    byAge: {
      on: ['createdAt'],
      file: 'idempotency_by_age',
      database: 'age',
      expiresAfterMs: 2 * dayMs,
    },
  },
});
