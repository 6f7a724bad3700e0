import { rankOf } from '../../../../domain/messages/message.ts';
import type { OutboundMessage } from '../../../../domain/messages/message.ts';
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
import { Table } from './table.ts';

const readRank = rankOf('read');

/** 1: a conversation receipt may still raise it. The index of those is no longer than what is unread. */
export function unread(state: string, rank: number): 1 | null {
  return state === 'sent' && rank < readRank ? 1 : null;
}

export const messages = new Table<OutboundMessage>(
  'messages',
  {
    id: id(),
    channelId: text(),
    accountId: text(),
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
    upstreamIds: json(), // in order of arrival; message_upstream_ids is its index
    error: textOrNull(),
    errorCode: integerOrNull(),
    calls: jsonOrNull(),
    epoch: integer(),
    createdAt: integer(),
    content: bytesOrNull(),
  },
  {
    // A column of its own, so that a rank changes without its index.
    derived: [{ name: 'is_unread', sql: 'integer', put: ({ state, rank }) => unread(state, rank) }],
    indexes: {
      open_messages: "(channel_id, coalesce(next_try_at, attempted_at)) where state in ('sending', 'queued')",
      unread_messages: '(channel_id, recipient, attempted_at) where is_unread = 1',
      messages_by_age: '(created_at)',
    },
  },
);

export const knownColumns = messages.pick(
  'id',
  'origin',
  'recipient',
  'state',
  'rank',
  'deliveryFailed',
  'attemptedAt',
  'statusAt',
  'upstreamIds',
);

/** All but what it says. */
export const recordColumns = messages.pick(
  'id',
  'channelId',
  'accountId',
  'channelType',
  'origin',
  'recipient',
  'state',
  'rank',
  'deliveryFailed',
  'copies',
  'tries',
  'attemptedAt',
  'statusAt',
  'sentAt',
  'deliveredAt',
  'readAt',
  'failedAt',
  'nextTryAt',
  'upstreamIds',
  'calls',
  'error',
  'errorCode',
  'epoch',
  'createdAt',
);

export const messageUpstreamIds = new Table<{ channelId: string; upstreamId: string; messageId: string }>(
  'message_upstream_ids',
  { channelId: text(), upstreamId: text(), messageId: text() },
  { key: ['channel_id', 'upstream_id', 'message_id'] },
);
