import type { RequestFilter } from './store.ts';
import { apiRoute } from '../route.ts';
import { listRequests } from './list-requests.ts';
import { valueFault } from '../../kernel/faults.ts';
import type { LeftOut, ListedRequest } from './list-requests.ts';
import { toIso } from '../../kernel/clock.ts';
import { cursorFields, readText, readTime } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';
import {
  count,
  listOf,
  orNull,
  responseObject,
  string,
  timestamp,
} from '../../http/validation/json-schema.ts';
import { nextCursor } from '../../http/schemas/common.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';

const requestOut = answer<ListedRequest>('LoggedRequest', {
  at: [{ ...timestamp, description: 'When the request was answered' }, ({ createdAt }) => toIso(createdAt)],
  method: [{ ...string, description: 'HTTP method' }, ({ method }) => method],
  route: [
    { ...string, description: 'Path pattern of the route, e.g. `/api/v1/channels/{channel_id}`' },
    ({ route }) => route,
  ],
  status: [{ ...count, description: 'HTTP status of the response' }, ({ status }) => status],
  code: [
    {
      ...orNull(string),
      description: "The service's code for why it refused the request; null: it did not refuse it",
    },
    ({ code }) => code,
  ],
  request_id: [
    { ...string, description: 'The `X-Request-Id` header of the response' },
    ({ requestId }) => requestId,
  ],
  duration_ms: [count, ({ durationMs }) => durationMs],
  key_hint: [
    {
      ...orNull(string),
      description: 'First and last characters of the API key; null: the key has been revoked',
    },
    ({ keyHint }) => keyHint,
  ],
});

const leftOutOut = answer<LeftOut>('LeftOutRequests', {
  until: [{ ...timestamp, description: 'End of the minute' }, ({ createdAt }) => toIso(createdAt)],
  succeeded: [
    { ...count, description: 'Successful requests that are not listed' },
    ({ succeeded }) => succeeded,
  ],
  failed: [{ ...count, description: 'Failed requests that are not listed' }, ({ failed }) => failed],
});

const requestListResponse = responseObject('RequestListResponse', {
  requests: listOf(requestOut.schema),
  left_out: {
    ...listOf(leftOutOut.schema),
    description:
      'Minutes on this page with more requests than the log lists, and how many it left out; empty if the call has a filter',
  },
  ...nextCursor,
});

const maxRoute = 200;

/** Additive. [operator-interface §3] */
export const requestRoute = apiRoute({
  get: '/api/v1/requests',
  name: 'listRequests',
  tag: 'Requests',
  summary: 'Lists the API requests of the account in the last 7 days, newest first',
  description:
    'Each entry has the time, route, status and duration of a request, without its body and query values. Per account, node and minute 60 successful and 120 failed requests are listed; `left_out` counts the others. The newest 10,000 entries are kept. Without `limit` a page has at most 100 entries.',
  parameters: [
    inQuery(
      'status',
      { type: 'string', pattern: '^(?:[1-5][0-9][0-9]|failed)$' },
      'Only requests answered with this HTTP status; `failed`: 400 and above',
    ),
    inQuery(
      'route',
      { type: 'string', maxLength: maxRoute },
      'Only requests to this route, written as in the `route` field of an entry',
    ),
    inQuery(
      'request_id',
      { type: 'string', maxLength: 64 },
      'Only requests answered with this `X-Request-Id`',
    ),
    inQuery(
      'since',
      { type: 'string', format: 'date-time', maxLength: 40 },
      'Only requests at or after this time',
    ),
    ...pageParameters,
  ],
  body: noBody,
  success: { status: 200, schema: requestListResponse },
  async answer(call, { world }) {
    const { query } = call;
    const route = readText(query, 'route', maxRoute);
    const requestId = readText(query, 'request_id', 64);
    const filter = {
      ...statusIn(query),
      ...(route === null ? {} : { route }),
      ...(requestId === null ? {} : { requestId }),
      since: readTime(query, 'since'),
    };
    const found = await listRequests(world, call.caller, filter, call.page);
    return {
      requests: found.requests.map(requestOut.of),
      left_out: found.leftOut.map(leftOutOut.of),
      ...cursorFields(found.nextCursor),
    };
  },
});

/** Throws Fault 422. */
function statusIn(query: URLSearchParams): Pick<RequestFilter, 'status' | 'isFailed'> {
  const given = query.getAll('status');
  const [first] = given;
  if (first === undefined) return {};
  if (given.length === 1 && first === 'failed') return { isFailed: true };
  if (given.length === 1 && /^[1-5]\d\d$/.test(first)) return { status: Number(first) };
  throw valueFault(['query', 'status'], "must be one status code, or 'failed'");
}
