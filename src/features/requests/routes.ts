/** The API's routes: path, words for the contract, and the function that answers. */
import { valueFault } from '../../kernel/faults.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';
import { cursorFields, readText, readTime } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { apiRoute } from '../route.ts';
import { listRequests } from './list-requests.ts';
import { leftOutOut, requestListResponse, requestOut } from './schemas.ts';
import type { RequestFilter } from './store.ts';

const maxRoute = 200;

/** Additive. [operator-interface §3] */
export const requestRoute = apiRoute({
  get: '/api/v1/requests',
  name: 'listRequests',
  needs: ['admin'],
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
