import { messageTypes } from '../../../domain/messages/content.ts';
import { directions, listedStatuses } from '../../../domain/messages/listed.ts';
import { toIso } from '../../../kernel/clock.ts';
import type { MessageOnChannel } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import {
  listOf,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../validation/json-schema.ts';
import { channelTypeWord, nextCursor } from './common.ts';

export const directionWord = openWords(directions);
export const listedStatusWord = openWords(listedStatuses);

export const listedMessageOut = answer<MessageOnChannel>('ListedMessage', {
  message_id: [
    { ...string, description: 'The `message_id` of the send response and of every event about the message' },
    ({ messageId }) => messageId,
  ],
  channel_id: [ourId, ({ channelId }) => channelId],
  channel_type: [channelTypeWord, ({ channelType }) => channelType],
  direction: [
    {
      ...directionWord,
      description:
        '`outbound`: sent through the service; `inbound`: received from a user; `echo`: sent by the business outside the service',
    },
    ({ direction }) => direction,
  ],
  person: [
    {
      ...orNull(string),
      description:
        'The user on the other side: the sender of an inbound message, otherwise the recipient; null: not recorded for this old message',
    },
    ({ person }) => person,
  ],
  type: [
    {
      ...orNull(openWords(messageTypes)),
      description: 'Content type; null: not recorded for this old message',
    },
    ({ type }) => type,
  ],
  status: [
    { ...listedStatusWord, description: 'Current status; `received`: the message is inbound' },
    ({ status }) => status,
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
});

/** `next_cursor` is always present: the answer is always one page. */
export const messageListResponse = responseObject('MessageListResponse', {
  messages: listOf(listedMessageOut.schema),
  ...nextCursor,
});
