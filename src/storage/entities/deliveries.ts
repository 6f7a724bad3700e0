import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { entity } from './entity.ts';
import { bytesOrNull, id, idOrNull, integer, integerOrNull, text, textOrNull } from './fields.ts';

/** In a document `nextDueAt` is `dueAt`, present while the delivery is pending; the document also holds what it carries for its message. */
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
    upstreamId: textOrNull(),
    keptSince: integerOrNull(),
    keptBytes: integerOrNull(),
    sequence: integerOrNull(),
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
    // A failed delivery would be hard to find among a million delivered ones.
    failed: {
      on: ['channelId', 'createdAt', 'id'],
      where: { is: { state: 'failed' } },
      file: 'failed_deliveries',
      database: 'failed',
    },
    // These two contain kept deliveries only. The first covers sums and sweeps, the second has the order of events.
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
    // The same three over all channels of an account.
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'deliveries_of_account',
      database: 'of_account',
    },
    failedOfAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { is: { state: 'failed' } },
      file: 'failed_deliveries_of_account',
      database: 'failed_of_account',
    },
    keptOfAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'keptSince' },
      file: 'kept_deliveries_of_account',
      database: 'kept_of_account',
    },
    // Received messages and echoes, whose record is the delivery; no status events.
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
  inFile: {
    apart: { field: 'payload', table: 'delivery_payloads' },
    // Of ordered channels alone.
    indexes: {
      pending_in_order: "(channel_id, sequence) where state = 'pending' and sequence is not null",
    },
  },
  besideInDocument({ state, keptSince }) {
    if (state === undefined || state === 'pending') return {};
    // A kept delivery is not finished: the age limit of the log does not erase it.
    return typeof keptSince === 'number' ? { dueAt: null } : { dueAt: null, isFinished: true };
  },
  inDatabase: {
    // The key contains the state, so that queries by channel and state use this index without a hint.
    failed: { key: { channelId: 1, state: 1, createdAt: 1, _id: 1 }, filter: { state: 'failed' } },
    failed_of_account: {
      key: { accountId: 1, state: 1, createdAt: 1, _id: 1 },
      filter: { state: 'failed' },
    },
    in_order: { key: { channelId: 1, sequence: 1 }, filter: { sequence: { $gte: 0 }, dueAt: { $gte: 0 } } },
    owing: { key: { channelId: 1 }, filter: { owes: { $exists: true } } },
    // No TTL index: the log's retention is a setting, and a node may not know another node's yet.
    finished_by_age: { key: { createdAt: 1 }, filter: { isFinished: true } },
  },
});
