import type { OutboundMessage } from '../../../../domain/messages/message.ts';
import { bytesOrNull, flag, id, integer, integerOrNull, json, text, textOrNull } from './fields.ts';
import type { Fields } from './fields.ts';
import { Table } from './table.ts';

const messageFields: Fields<OutboundMessage> = {
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
  nextTryAt: integerOrNull(),
  upstreamIds: json(), // in order of arrival; message_upstream_ids is its index
  error: textOrNull(),
  errorCode: integerOrNull(),
  epoch: integer(),
  createdAt: integer(),
  content: bytesOrNull(),
};

/** 1: sent and not read; a column of its own, so that a rank changes without its index. */
const unreadField: Fields<{ isUnread: number | null }> = { isUnread: integerOrNull() };

export const messages = new Table<OutboundMessage & { isUnread: number | null }>(
  'messages',
  { ...unreadField, ...messageFields },
  {
    indexes: {
      open_messages: "(channel_id, coalesce(next_try_at, attempted_at)) where state in ('sending', 'queued')",
      unread_messages: '(channel_id, recipient, attempted_at) where is_unread = 1',
      messages_by_age: '(created_at)',
    },
  },
);

export const messageColumns = messages.part(messageFields);
export const knownColumns = messages.pick(
  'id',
  'origin',
  'recipient',
  'state',
  'rank',
  'deliveryFailed',
  'attemptedAt',
  'upstreamIds',
);

export const messageUpstreamIds = new Table<{ channelId: string; upstreamId: string; messageId: string }>(
  'message_upstream_ids',
  { channelId: text(), upstreamId: text(), messageId: text() },
  { key: ['channel_id', 'upstream_id', 'message_id'] },
);
