import { directions, listedStatuses } from '../../../domain/messages/listed.ts';
import { apiRoute } from '../../route.ts';
import { readId, readText, readTime } from '../../validation/query-values.ts';
import { cursorFields, readChoices } from '../../validation/query.ts';
import { noBody } from '../../validation/request-body.ts';
import * as schemas from '../schemas/message-list.ts';
import { pageParameters } from './page-parameters.ts';

const maxPerson = 64;
const time = { type: 'string', format: 'date-time', maxLength: 40 };

/** Additive. [operator-interface §3] */
export const messageListRoute = apiRoute({
  get: '/api/v1/messages',
  name: 'listMessages',
  tag: 'Messages',
  summary: 'The messages of all channels, newest first',
  description:
    'What was sent through the service, and what people wrote and echoes whose event is delivered to a webhook; for as long as the delivery log is kept, and nothing of what they say. At most 100 without `limit`. A page may be short or empty while `next_cursor` is there: one call looks at a bounded part of the list.',
  parameters: [
    {
      name: 'recipient',
      in: 'query',
      schema: { type: 'string', maxLength: maxPerson },
      description: 'Only of this person, in any direction: a number however it is written, or an id',
    },
    {
      name: 'channel_id',
      in: 'query',
      schema: { type: 'string', format: 'uuid' },
      description: 'Only of this channel',
    },
    {
      name: 'direction',
      in: 'query',
      schema: schemas.directionWord,
      description: 'Only in this direction',
    },
    {
      name: 'status',
      in: 'query',
      schema: schemas.listedStatusWord,
      description: 'Only those whose current status it is',
    },
    { name: 'since', in: 'query', schema: time, description: 'Only from this time on' },
    { name: 'until', in: 'query', schema: time, description: 'Only before this time' },
    ...pageParameters,
  ],
  errors: [404],
  body: noBody,
  success: { status: 200, schema: schemas.messageListResponse },
  async answer(call, { useCases }) {
    const { query } = call;
    const { direction, status } = readChoices(query, { direction: directions, status: listedStatuses });
    const person = readText(query, 'recipient', maxPerson);
    const [since, until] = [readTime(query, 'since'), readTime(query, 'until')];
    const filter = { person, direction, status, since, until, channelId: readId(query, 'channel_id') };
    const found = await useCases.listMessages(call.caller, filter, call.page);
    return { messages: found.items.map(schemas.listedMessageOut.of), ...cursorFields(found.nextCursor) };
  },
});
