import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import { entity } from './entity.ts';
import { bytesOrNull, id, idOrNull, integer, integerOrNull, text, textOrNull } from './fields.ts';

/** A document holds `nextDueAt` as `dueAt` while it is pending, and beside it what it carries for its message. */
export const deliveries = entity<Delivery>('deliveries', {
  fields: {
    id: id(),
    channelId: id(),
    accountId: id(),
    event: text(),
    messageId: id(),
    state: text(),
    attempts: integer(),
    claims: integer({ before: 0 }),
    firstTriedAt: integerOrNull(),
    nextDueAt: integer({ inDocument: 'dueAt', whenAbsent: 0 }),
    lastResult: textOrNull(),
    epoch: integer(),
    createdAt: integer({ isDate: true }),
    attemptLog: textOrNull(),
    requestId: idOrNull(),
    person: textOrNull(),
    messageType: textOrNull(),
    keptSince: integerOrNull(),
    keptBytes: integerOrNull(),
    payload: bytesOrNull(),
  },
  indexes: {
    pending: {
      on: ['channelId', 'nextDueAt'],
      where: { is: { state: 'pending' } },
      filter: { dueAt: { $gte: 0 } },
      file: 'pending_deliveries',
      database: 'pending',
    },
    log: { on: ['channelId', 'createdAt', 'id'], file: 'delivery_log', database: 'log' },
    // Among a million delivered ones a failed one would be hard to find.
    failed: {
      on: ['channelId', 'createdAt', 'id'],
      where: { is: { state: 'failed' } },
      file: 'failed_deliveries',
      database: 'failed',
    },
    // Nothing that was delivered is in these two. The first covers what is summed up and swept, the second keeps the order of events.
    keptByAge: {
      on: ['channelId', 'keptSince', 'keptBytes'],
      where: { present: 'keptSince' },
      file: 'kept_deliveries_by_age',
      database: 'kept_by_age',
    },
    kept: {
      on: ['channelId', 'createdAt', 'id', 'keptSince'],
      where: { present: 'keptSince' },
      file: 'kept_deliveries',
      database: 'kept',
    },
    // What people wrote, and echoes: the delivery is the record of such a message. No status is in them.
    byAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'messageType' },
      file: 'delivered_messages_by_account',
      database: 'account',
    },
    byPerson: {
      on: ['accountId', 'person', 'createdAt', 'id'],
      where: { present: 'messageType' },
      file: 'delivered_messages_by_person',
      database: 'person',
    },
  },
  inFile: { apart: { field: 'payload', table: 'delivery_payloads' } },
  shardKey: { channelId: 1, _id: 1 },
  besideInDocument({ state, keptSince }) {
    if (state === undefined || state === 'pending') return {};
    // What is kept is not finished: no age of the log erases it.
    return typeof keptSince === 'number' ? { dueAt: null } : { dueAt: null, isFinished: true };
  },
  inDatabase: {
    // With the state in its key: what asks for both finds it by itself.
    failed: { key: { channelId: 1, state: 1, createdAt: 1, _id: 1 }, filter: { state: 'failed' } },
    owing: { key: { channelId: 1 }, filter: { owes: { $exists: true } } },
    // No TTL: how long the log is kept is a setting, and another node's may not be known here yet.
    finished_by_age: { key: { createdAt: 1 }, filter: { isFinished: true } },
  },
});
