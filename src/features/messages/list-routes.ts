import { apiRoute } from '../route.ts';
import { listMessages } from './list.ts';
import { maxRecipient, requirePerson } from '../../rules/channels/recipient.ts';
import { directions, listedStatuses } from './listed.ts';
import { messageTypes } from '../../rules/messages/content.ts';
import { toIso } from '../../kernel/clock.ts';
import type { MessageOnChannel } from './types.ts';
import { cursorFields, readChoices, readId, readText, readTime } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';
import {
  listOf,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../http/validation/json-schema.ts';
import { channelTypeWord, nextCursor } from '../../http/schemas/common.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';

const listedMessageOut = answer<MessageOnChannel>('ListedMessage', {
  message_id: [
    { ...string, description: 'The `message_id` of the send response and of every event about the message' },
    'messageId',
  ],
  channel_id: [ourId, 'channelId'],
  channel_type: [channelTypeWord, 'channelType'],
  direction: [
    {
      ...openWords(directions),
      description:
        '`outbound`: sent through the service; `inbound`: received from a user; `echo`: sent by the business outside the service',
    },
    'direction',
  ],
  person: [
    {
      ...orNull(string),
      description:
        'The user on the other side: the sender of an inbound message, otherwise the recipient; null: not recorded for this old message',
    },
    'person',
  ],
  type: [
    {
      ...orNull(openWords(messageTypes)),
      description: 'Content type; null: not recorded for this old message',
    },
    'type',
  ],
  status: [
    { ...openWords(listedStatuses), description: 'Current status; `received`: the message is inbound' },
    'status',
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
});

/** `next_cursor` is always present: the answer is always one page. */
const messageListResponse = responseObject('MessageListResponse', {
  messages: listOf(listedMessageOut.schema),
  ...nextCursor,
});

const time = { type: 'string', format: 'date-time', maxLength: 40 };

/** Additive. [operator-interface §3] */
export const messageListRoute = apiRoute({
  get: '/api/v1/messages',
  name: 'listMessages',
  needs: ['messages:read'],
  tag: 'Messages',
  summary: 'Lists the messages of all channels, newest first',
  description:
    'Has all messages sent through the service, and those inbound messages and echoes whose event is delivered to a webhook. Messages are listed as long as the delivery log is kept; their content is not included. Without `limit` a page has at most 100 messages. One call searches a limited part of the list, so that with `status` or `direction`, or with `recipient` and `channel_id`, a page can be short or empty although more follow: go on until `next_cursor` is null.',
  parameters: [
    inQuery(
      'recipient',
      { type: 'string', maxLength: maxRecipient },
      'Only messages to or from this user: a phone number in any notation, or a scoped or business-scoped id, as in `from`; a user name or a name is 400 `invalid_recipient`',
    ),
    inQuery('channel_id', { type: 'string', format: 'uuid' }, 'Only messages of this channel'),
    inQuery('direction', oneOfWords(directions), 'Only messages in this direction'),
    inQuery('status', oneOfWords(listedStatuses), 'Only messages whose current status this is'),
    inQuery('since', time, 'Only messages at or after this time'),
    inQuery('until', time, 'Only messages before this time'),
    ...pageParameters,
  ],
  errors: [400, 404],
  body: noBody,
  success: { status: 200, schema: messageListResponse },
  async answer(call, { world }) {
    const { query } = call;
    const { direction, status } = readChoices(query, { direction: directions, status: listedStatuses });
    const person = readText(query, 'recipient', maxRecipient);
    if (person !== null) requirePerson(person);
    const [since, until] = [readTime(query, 'since'), readTime(query, 'until')];
    const filter = { person, direction, status, since, until, channelId: readId(query, 'channel_id') };
    const found = await listMessages(world, call.caller, filter, call.page);
    return { messages: found.items.map(listedMessageOut.of), ...cursorFields(found.nextCursor) };
  },
});
