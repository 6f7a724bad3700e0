/** The OpenAPI document, generated from the route table: it describes exactly the routes that are mounted. */
import { asRecord } from '../../kernel/json.ts';
import { codedErrorBody, errorBody, scopeErrorBody, validationErrorBody } from '../schemas/common.ts';
import type { AdminRoute, ApiRoute, OpenContract, OpenRoute, Parameter, Route } from '../route.ts';
import { isPathId } from '../validation/ids.ts';
import { string } from '../validation/json-schema.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { makeHoist } from './hoist.ts';
import type { Hoist } from './hoist.ts';
import { writeWebhooks, webhookTag } from './webhooks.ts';

/** [spec: HTTP status codes] */
const statusMeanings: Record<number, string> = {
  400: 'Bad request; see `detail`',
  401: 'Unauthorized: the credentials are missing or wrong',
  402: 'Payment required: trial ended, licence not active, tier too low or account suspended',
  403: 'Forbidden: the API key lacks a scope; `detail` names it',
  404: 'Does not exist or belongs to another account',
  405: 'Method not allowed; the `Allow` header lists the allowed methods',
  408: 'The request took too long to arrive',
  409: 'Conflict; see `detail`',
  410: 'Gone: expired',
  411: 'The request needs a `Content-Length`',
  413: 'Request body too large',
  415: 'Unsupported media type: the body must be uncompressed JSON in UTF-8',
  422: 'Validation error: the request does not match its schema',
  429: 'Rate limit exceeded; retry after the `Retry-After` header',
  500: 'Internal error',
  502: 'Upstream platform error; a retry may help',
  503: 'Temporarily overloaded or unavailable; retry after the `Retry-After` header',
};

const noForm = 'Unsupported media type: the body must be multipart/form-data';

interface Contract {
  baseUrl: string;
  routes: readonly Route[];
}

/** Returns an OpenAPI 3.1 document, ready for `JSON.stringify`. */
export function writeOpenApi({ baseUrl, routes }: Contract): JsonSchema {
  const hoist = makeHoist();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const inOrder = routes.flatMap(operationIn).toSorted(byReader);
  for (const route of inOrder) {
    paths[route.path] = { ...paths[route.path], [route.method]: writeOperation(route, hoist) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trunkline',
      version: '1',
      description:
        'One REST API to connect chatapp, photoapp and pagechat channels, to send messages through them and to receive messages and delivery statuses as webhooks. Times are ISO 8601 in UTC. Changes to v1 only add: ignore unknown fields, and accept unknown values where a set is open. The service does so too: an unknown member of a body and an unknown query parameter do nothing, without an error, so `replyTo`, `previewUrl` or `page` is no `reply_to`, `preview_url` or `cursor`. Events as they happen: a socket.io client with the websocket transport, namespace `/live`, path `/live/socket.io`, `auth: {apiKey}`.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: writeTags(inOrder),
    paths,
    webhooks: writeWebhooks(hoist),
    components: { schemas: hoist.schemas, securitySchemes },
  };
}

/** Tags in the order of the paths. */
function writeTags(routes: readonly Operation[]): JsonSchema[] {
  const names = [...new Set([...routes.map(({ tag }) => tag), webhookTag])];
  return names.map((name) => ({ name, ...(name in tagMeanings ? { description: tagMeanings[name] } : {}) }));
}

const tagMeanings: Record<string, string> = {
  Channels: 'Connected phone numbers, accounts and pages, and their settings',
  'Connecting a channel':
    'A setup URL leads the user through the upstream dialog; the one-time code at its end is exchanged for the channel',
  Messages: 'Sending messages, and looking up their status',
  Requests: 'Log of the API requests of the account',
  Templates: 'chatapp message templates, kept in sync with upstream',
  Endpoints: 'Further endpoints of a channel, beside its `webhook_url`',
  Deliveries: 'Delivery log of the webhooks: retries, replays and tests',
  Media: 'Temporary download of inbound files, and uploads of files to send',
  Subscriptions: 'Licences and free channel slots',
  Redirects: 'Allowed redirect URI patterns for the end of a setup flow',
  [webhookTag]: "Events that the service POSTs to a channel's `webhook_url`",
  'Setup flow': 'Pages that the user passes in a browser during a setup flow; not called by API clients',
  'Upstream platform': 'Called by the upstream platform',
  'Payment provider': 'Called by the payment provider',
  Health: 'For health probes and metrics',
  Contract: 'This document, and the addresses of the service',
  'Operators: accounts': 'Requires the admin token',
  'Operators: nodes and channels': 'Requires the admin token',
};

type Operation = ApiRoute | AdminRoute | (OpenRoute & OpenContract);

/** The operation of a route; none for a route that serves pages. */
function operationIn(route: Route): Operation[] {
  if (route.audience !== 'open') return [route];
  return route.contract === undefined ? [] : [{ ...route, ...route.contract }];
}

const readers = { api: 0, open: 1, admin: 2 };

/** API routes first, operators' routes last, as readers of the contract need them; the table is in matching order. */
function byReader(a: Operation, b: Operation): number {
  return readers[a.audience] - readers[b.audience];
}

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'API key; starts with `mip_live_`',
  },
  adminToken: { type: 'http', scheme: 'bearer', description: 'Admin token of the operators: `ADMIN_TOKEN`' },
};

function writeOperation(route: Operation, hoist: Hoist): JsonSchema {
  const { name, tag, summary } = route;
  const description = describe(route);
  const body = route.audience === 'open' ? null : route.bodySchema;
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(route.repeatable === true ? { 'x-repeatable': true } : {}),
    parameters: [
      ...pathParameters(route.path),
      ...(route.parameters ?? []).map((each) => writeParameter(each, hoist)),
    ],
    ...(body === null
      ? {}
      : { requestBody: { required: !isBodyOptional(route), content: bodyContent(route, hoist.ref(body)) } }),
    responses: withRequestId({ ...writeSuccess(route, hoist), ...writeErrors(route, hoist) }),
    security: writeSecurity(route),
  };
}

function takesFile(route: Operation): boolean {
  return route.audience === 'api' && route.takesFile;
}

function bodyContent(route: Operation, schema: JsonSchema): JsonSchema {
  return takesFile(route) ? { 'multipart/form-data': { schema } } : jsonContent(schema);
}

function isBodyOptional(route: Operation): boolean {
  return route.audience === 'admin' && route.isBodyOptional;
}

/** With the scopes of which a key must have one. */
function describe(route: Operation): string | undefined {
  if (route.audience !== 'api') return route.description;
  const needed = `Needs the scope ${route.needs.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return route.description === undefined ? needed : `${route.description} ${needed}`;
}

/** Every answer to a call has it, whatever its status. */
const requestId = {
  schema: string,
  description: 'Id of this request, in the log of requests too: quote it when you ask for help',
};

function withRequestId(responses: JsonSchema): JsonSchema {
  const each = Object.entries(responses).map(([status, response]) => {
    const { headers, ...rest } = asRecord(response) ?? {};
    return [status, { ...rest, headers: { 'X-Request-Id': requestId, ...asRecord(headers) } }];
  });
  return Object.fromEntries(each);
}

const pathSchemas: Record<string, JsonSchema> = { user_id: { ...string, pattern: '^[0-9]{1,64}$' } };

/** An id of another shape is answered like an unknown id. */
function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchemas[name] ?? (isPathId(name) ? { type: 'string', format: 'uuid' } : string),
  }));
}

function writeParameter(
  { name, in: place, required = false, schema, description }: Parameter,
  hoist: Hoist,
): JsonSchema {
  return { name, in: place, required, schema: hoist.ref(schema), description };
}

function writeSecurity({ audience }: Operation): JsonSchema[] {
  if (audience === 'open') return [];
  return [audience === 'api' ? { apiKey: [] } : { adminToken: [] }];
}

function writeSuccess(route: Operation, hoist: Hoist): JsonSchema {
  if (route.audience === 'open') return writeAnswers(route, hoist);
  const { success } = route;
  const content =
    'file' in success
      ? { 'application/octet-stream': { schema: success.file } }
      : jsonContent(hoist.ref(success.schema));
  return { [success.status]: { description: 'Success', content } };
}

function writeAnswers(route: OpenContract, hoist: Hoist): JsonSchema {
  const answers = Object.entries(route.answers).map(([status, { contentType, schema, description }]) => {
    const content = { [contentType]: schema === undefined ? {} : { schema: hoist.ref(schema) } };
    return [status, { description, content }];
  });
  return Object.fromEntries(answers);
}

function writeErrors(route: Operation, hoist: Hoist): JsonSchema {
  const ofAudience = route.audience === 'open' ? [] : errorsOfAudience(route);
  const statuses = [...new Set([405, ...ofAudience, ...(route.errors ?? [])])].toSorted((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [status, writeError(route, status, hoist)]));
}

function errorsOfAudience(route: ApiRoute | AdminRoute): number[] {
  const always = [401, ...(route.audience === 'api' ? [403] : []), 422, 429, 500, 503];
  const withBody = route.bodySchema === null ? [] : [413, 415];
  const withFile = takesFile(route) ? [408, 411] : [];
  const withId = route.path.includes('{') ? [404] : [];
  return [...always, ...withBody, ...withFile, ...withId];
}

function writeError(route: Operation, status: number, hoist: Hoist): JsonSchema {
  const isNoForm = takesFile(route) && status === 415;
  const description = isNoForm ? noForm : (statusMeanings[status] ?? 'Error');
  const retry = {
    'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait before a retry' },
  };
  return {
    description,
    ...(status === 429 || status === 503 ? { headers: retry } : {}),
    ...(status === 405
      ? { headers: { Allow: { schema: string, description: 'Allowed methods, e.g. `GET, HEAD`' } } }
      : {}),
    content:
      route.audience === 'open' && route.failures !== 'json' && status !== 405
        ? { 'text/html': {} }
        : jsonContent(errorSchema(status, hoist)),
  };
}

/** [spec: Errors] Strings, lists of field errors, and on 400 objects with a `code`. */
function errorSchema(status: number, hoist: Hoist): JsonSchema {
  if (status === 403) return hoist.ref(scopeErrorBody);
  if (status === 422) return hoist.ref(validationErrorBody);
  // Generated clients take the first schema that matches: the stricter one comes first.
  if (status === 400) return { anyOf: [hoist.ref(codedErrorBody), hoist.ref(errorBody)] };
  return hoist.ref(errorBody);
}

function jsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}
