import { kindOf } from '../../rules/channels/kinds.ts';
import { rankOf } from '../../rules/messages/message.ts';
import type { CallLog, OutboundMessage } from '../../rules/messages/message.ts';
import { entity, entityBy } from './entity.ts';
import {
  bytesOrNull,
  flag,
  id,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  text,
  textOrNull,
} from './fields.ts';
import { dayMs } from '../../kernel/clock.ts';

/** A sent message below this rank is unread, and in the index of unread messages. */
export const readRank = rankOf('read');

/**
 * 1 if a conversation receipt may still raise the rank. The index contains only such messages, so it is as short as the list of unread
 * ones.
 */
function unread({ channelType, state, rank }: OutboundMessage): 1 | null {
  return state === 'sent' && rank < readRank && kindOf(channelType).reportsConversations ? 1 : null;
}

/** A call whose node died before the call ended has only a start. */
function withUnseenEnds(calls: CallLog): CallLog {
  const unseen = { endedAt: null, outcome: 'unknown', error: null, code: null, traceId: null } as const;
  return Object.fromEntries(Object.entries(calls).map(([n, call]) => [n, { ...unseen, ...call }]));
}

/** When an open message needs its owner's attention; null for a closed one. */
function dueIfOpen({ state, nextTryAt, attemptedAt }: Partial<OutboundMessage>): { dueAt?: number | null } {
  if (state === undefined) return {};
  if (state !== 'sending' && state !== 'queued') return { dueAt: null };
  const dueAt = nextTryAt ?? attemptedAt;
  return dueAt === undefined ? {} : { dueAt };
}

/** A document also has `dueAt`, and the order of arrival within its first epoch. */
export const messages = entity<OutboundMessage>('messages', {
  fields: {
    id: id(),
    channelId: id(),
    accountId: id(),
    channelType: text(),
    origin: text(),
    recipient: text(),
    state: text(),
    rank: integer(),
    deliveryFailed: flag(),
    copies: integer(),
    tries: integer(),
    attemptedAt: integer(),
    statusAt: integerOrNull(),
    sentAt: integerOrNull(),
    deliveredAt: integerOrNull(),
    readAt: integerOrNull(),
    failedAt: integerOrNull(),
    nextTryAt: integerOrNull(),
    upstreamIds: json({ isAbsentWhenEmpty: true }), // in order of arrival; in a file `messageUpstreamIds` is their index
    error: textOrNull(),
    errorCode: integerOrNull(),
    calls: jsonOrNull({ asRead: withUnseenEnds }),
    epoch: integer(),
    createdAt: integer(),
    messageType: textOrNull(),
    content: bytesOrNull(),
  },
  indexes: {
    // For lists of messages. The first also finds old messages for the sweep, because every index costs each send.
    byChannel: { on: ['channelId', 'createdAt', 'id'], file: 'messages_by_channel', database: 'channel' },
    byAccount: { on: ['accountId', 'createdAt', 'id'], file: 'messages_by_account', database: 'account' },
    byPerson: {
      on: ['accountId', 'recipient', 'createdAt', 'id'],
      file: 'messages_by_person',
      database: 'person',
    },
  },
  inFile: {
    // A column of its own, so that a rank that rises below `read` does not touch the index.
    derived: { is_unread: { from: ['channelType', 'state', 'rank'], derive: unread } },
    indexes: {
      open_messages: "(channel_id, coalesce(next_try_at, attempted_at)) where state in ('sending', 'queued')",
      untaken_messages: "(channel_id) where epoch = 0 and state in ('sending', 'queued')",
      unread_messages: '(channel_id, recipient, attempted_at) where is_unread = 1',
    },
    apart: { field: 'content', table: 'message_contents', from: 192 },
  },
  besideInDocument: dueIfOpen,
  inDatabase: {
    age: { key: { createdAt: 1 } },
    open: { key: { channelId: 1, dueAt: 1 }, filter: { dueAt: { $gte: 0 } } },
    untaken: { key: { channelId: 1 }, filter: { epoch: 0, dueAt: { $gte: 0 } } },
    upstream_ids: { key: { channelId: 1, upstreamIds: 1 }, filter: { upstreamIds: { $exists: true } } },
    unread: {
      key: { channelId: 1, recipient: 1, attemptedAt: 1 },
      filter: { state: 'sent', rank: { $lt: readRank } },
    },
  },
});

interface MessageUpstreamId {
  channelId: string;
  upstreamId: string;
  messageId: string;
}

/** In files only. */
export const messageUpstreamIds = entityBy<MessageUpstreamId>(
  'message_upstream_ids',
  ['channelId', 'upstreamId', 'messageId'],
  { fields: { channelId: id(), upstreamId: text(), messageId: id() }, indexes: {} },
);

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
  indexes: {
    byAge: {
      on: ['createdAt'],
      file: 'idempotency_by_age',
      database: 'age',
      expiresAfterMs: 2 * dayMs,
    },
  },
});

/** First answer of a send that carried an `Idempotency-Key`. [operator-interface §4] */
export interface IdempotencyRecord {
  accountId: string;
  key: string;
  bodyHash: string;
  messageId: string;
  /** null: the first call is still running. */
  answer: unknown;
  createdAt: number;
}
