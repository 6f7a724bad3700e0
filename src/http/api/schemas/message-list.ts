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
    { ...string, description: 'As in the answer to a send and in every event' },
    ({ messageId }) => messageId,
  ],
  channel_id: [ourId, ({ channelId }) => channelId],
  channel_type: [channelTypeWord, ({ channelType }) => channelType],
  direction: [
    {
      ...directionWord,
      description: '`outbound`: sent through the service; `inbound`: a person wrote; `echo`: sent beside it',
    },
    ({ direction }) => direction,
  ],
  person: [
    { ...orNull(string), description: 'Whom it is from or for; null: older than this list' },
    ({ person }) => person,
  ],
  type: [
    {
      ...orNull(openWords(messageTypes)),
      description: 'null: older than this list',
    },
    ({ type }) => type,
  ],
  status: [
    { ...listedStatusWord, description: 'The current one; `received`: a person wrote it' },
    ({ status }) => status,
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
});

/** `next_cursor` is always present: the answer is always one page. */
export const messageListResponse = responseObject('MessageListResponse', {
  messages: listOf(listedMessageOut.schema),
  ...nextCursor,
});
