/** Answers: the schema of each field beside where its value comes from. Type, check and `/openapi.json` follow from it. */
import { toIso } from '../../kernel/clock.ts';
import {
  count,
  listOf,
  orNull,
  responseObject,
  string,
  timestamp,
} from '../../http/validation/json-schema.ts';
import { answer } from '../../http/validation/response-body.ts';
import { nextCursor } from '../../http/schemas/common.ts';
import type { LeftOut, ListedRequest } from './list-requests.ts';

export const requestOut = answer<ListedRequest>('LoggedRequest', {
  at: [{ ...timestamp, description: 'When the request was answered' }, ({ createdAt }) => toIso(createdAt)],
  method: [{ ...string, description: 'HTTP method' }, 'method'],
  route: [
    { ...string, description: 'Path pattern of the route, e.g. `/api/v1/channels/{channel_id}`' },
    'route',
  ],
  status: [{ ...count, description: 'HTTP status of the response' }, 'status'],
  code: [
    {
      ...orNull(string),
      description: "The service's code for why it refused the request; null: it did not refuse it",
    },
    'code',
  ],
  request_id: [{ ...string, description: 'The `X-Request-Id` header of the response' }, 'requestId'],
  duration_ms: [count, 'durationMs'],
  key_hint: [
    {
      ...orNull(string),
      description: 'First and last characters of the API key; null: the key has been revoked',
    },
    'keyHint',
  ],
});

export const leftOutOut = answer<LeftOut>('LeftOutRequests', {
  until: [{ ...timestamp, description: 'End of the minute' }, ({ createdAt }) => toIso(createdAt)],
  succeeded: [{ ...count, description: 'Successful requests that are not listed' }, 'succeeded'],
  failed: [{ ...count, description: 'Failed requests that are not listed' }, 'failed'],
});

export const requestListResponse = responseObject('RequestListResponse', {
  requests: listOf(requestOut.schema),
  left_out: {
    ...listOf(leftOutOut.schema),
    description:
      'Minutes on this page with more requests than the log lists, and how many it left out; empty if the call has a filter',
  },
  ...nextCursor,
});
