import { toIso } from '../../../kernel/clock.ts';
import type { LeftOut, ListedRequest } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import { count, listOf, orNull, responseObject, string, timestamp } from '../../validation/json-schema.ts';
import { nextCursor } from './common.ts';

export const requestOut = answer<ListedRequest>('LoggedRequest', {
  at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  method: [string, ({ method }) => method],
  route: [{ ...string, description: 'The pattern of its path' }, ({ route }) => route],
  status: [count, ({ status }) => status],
  code: [{ ...orNull(string), description: 'Why it was refused; null: it was not' }, ({ code }) => code],
  request_id: [{ ...string, description: 'The `X-Request-Id` of the answer' }, ({ requestId }) => requestId],
  duration_ms: [count, ({ durationMs }) => durationMs],
  key_hint: [
    { ...orNull(string), description: 'How its key begins and ends; null: the key was revoked' },
    ({ keyHint }) => keyHint,
  ],
});

export const leftOutOut = answer<LeftOut>('LeftOutRequests', {
  until: [{ ...timestamp, description: 'The end of the minute' }, ({ createdAt }) => toIso(createdAt)],
  succeeded: [count, ({ succeeded }) => succeeded],
  failed: [count, ({ failed }) => failed],
});

export const requestListResponse = responseObject('RequestListResponse', {
  requests: listOf(requestOut.schema),
  left_out: {
    ...listOf(leftOutOut.schema),
    description: 'Minutes among these in which there were too many to list all; empty with a filter',
  },
  ...nextCursor,
});
