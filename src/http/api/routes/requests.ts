import { fault } from '../../../kernel/faults.ts';
import type { RequestFilter } from '../../../use-cases/index.ts';
import { apiRoute } from '../../route.ts';
import { valueError } from '../../validation/field-errors.ts';
import { readText, readTime } from '../../validation/query-values.ts';
import { cursorFields } from '../../validation/query.ts';
import { noBody } from '../../validation/request-body.ts';
import * as schemas from '../schemas/request-log.ts';
import { pageParameters } from './page-parameters.ts';

const maxRoute = 200;

/** Additive. [operator-interface §3] */
export const requestRoute = apiRoute({
  get: '/api/v1/requests',
  name: 'listRequests',
  tag: 'Requests',
  summary: 'What the keys of the account have asked in the last 7 days, newest first',
  description:
    'Of each call when, what, how it was answered and how long it took; no bodies, no values of queries. Above 60 successes or 120 failures of an account in a minute on a node the rest is only counted (`left_out`); the newest 10,000 are kept. At most 100 without `limit`.',
  parameters: [
    {
      name: 'status',
      in: 'query',
      schema: { type: 'string', pattern: '^(?:[1-5][0-9][0-9]|failed)$' },
      description: 'Only with this status; `failed`: 400 and above',
    },
    {
      name: 'route',
      in: 'query',
      schema: { type: 'string', maxLength: maxRoute },
      description: 'Only of this route, as `route` of an answer says it',
    },
    {
      name: 'request_id',
      in: 'query',
      schema: { type: 'string', maxLength: 64 },
      description: 'Only those that were answered with this `X-Request-Id`',
    },
    {
      name: 'since',
      in: 'query',
      schema: { type: 'string', format: 'date-time', maxLength: 40 },
      description: 'Only from this time on',
    },
    ...pageParameters,
  ],
  body: noBody,
  success: { status: 200, schema: schemas.requestListResponse },
  async answer(call, { useCases }) {
    const { query } = call;
    const route = readText(query, 'route', maxRoute);
    const requestId = readText(query, 'request_id', 64);
    const filter = {
      ...statusIn(query),
      ...(route === null ? {} : { route }),
      ...(requestId === null ? {} : { requestId }),
      since: readTime(query, 'since'),
    };
    const { requests, leftOut, nextCursor } = await useCases.listRequests(call.caller, filter, call.page);
    return {
      requests: requests.map(schemas.requestOut.of),
      left_out: leftOut.map(schemas.leftOutOut.of),
      ...cursorFields(nextCursor),
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
  const errors = [{ loc: ['query', 'status'], ...valueError("must be one status code, or 'failed'") }];
  throw fault('validation', { errors });
}
