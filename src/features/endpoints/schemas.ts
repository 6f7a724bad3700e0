import { nextCursor } from '../../http/schemas/common.ts';
import { eventTypes } from '../../rules/events/table.ts';
import { maxOwnHeadersBytes } from '../../rules/webhooks/own-headers.ts';
import { maxSecretLength } from '../../rules/webhooks/signature.ts';
import { toIso } from '../../kernel/clock.ts';
import {
  count,
  flag,
  givenList,
  listOf,
  orNull,
  ourId,
  requestObject,
  responseObject,
  shown,
  string,
  text,
  timestamp,
  webhookUrl,
  withExample,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { BodyOf } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
import type { Endpoint } from './entity.ts';
import type { EndpointPatch, EndpointWithSecret, NewEndpoint } from './service.ts';

const url = { ...webhookUrl, description: 'Where the events are POSTed; as `webhook_url` of the channel' };
const events = {
  ...givenList(shown(text(), { enum: eventTypes })),
  description: 'Event types to deliver; which are available depends on the channel type',
};
const secret = {
  ...orNull(shown(text(), { minLength: 1, maxLength: maxSecretLength })),
  description:
    'HMAC secret. A new endpoint without one gets one. After a change the previous secret also signs for 24 hours; null in PATCH ends signing',
};
const headerValues: JsonSchema<Record<string, string>> = {
  type: 'object',
  additionalProperties: text({ maxLength: maxOwnHeadersBytes }),
};
const headers = {
  ...orNull(headerValues),
  description:
    'Headers of each POST, by name: at most ten, 4 KB together, values printable ASCII. None of a connection, `Host`, `Content-*`, `User-Agent`, or of this service. In PATCH they replace all; with a `url` of another host they are required, if there are some',
};
const isEnabled = {
  ...flag,
  description: 'False: no event is delivered, and what waits is canceled. True enables it again',
};

export const endpointRequest = requestBody(
  withExample(requestObject('EndpointRequest', { url, events }, { secret, headers, is_enabled: isEnabled }), {
    url: 'https://crm.example.com/trunkline',
    events: ['message.received'],
    headers: { Authorization: 'Bearer 3f0c9a' },
  }),
);

export const endpointUpdateRequest = requestBody(
  withExample(
    requestObject('EndpointUpdateRequest', {}, { url, events, secret, headers, is_enabled: isEnabled }),
    { events: ['message.received', 'message.failed'], is_enabled: true },
  ),
);

export function toEndpointPatch({
  url: address,
  events: wanted,
  secret: given,
  headers: own,
  is_enabled: enabled,
}: BodyOf<typeof endpointUpdateRequest>): EndpointPatch {
  return { url: address, events: wanted, secret: given, headers: own, isEnabled: enabled };
}

export function toNewEndpoint(body: BodyOf<typeof endpointRequest>): NewEndpoint {
  return { ...toEndpointPatch(body), url: body.url, events: body.events, headers: body.headers };
}

interface ShownEndpoint {
  endpoint: Endpoint;
}

const cells: Cells<ShownEndpoint> = {
  id: [ourId, ({ endpoint }) => endpoint.id],
  channel_id: [ourId, ({ endpoint }) => endpoint.channelId],
  url: [string, ({ endpoint }) => endpoint.url],
  events: [listOf(string), ({ endpoint }) => endpoint.events],
  has_secret: [
    { ...flag, description: 'True if deliveries are signed' },
    ({ endpoint }) => endpoint.secret !== null,
  ],
  header_names: [
    { ...listOf(string), description: 'Names of its own headers; their values are not shown again' },
    ({ endpoint }) => endpoint.headers?.names ?? [],
  ],
  disabled_at: [
    {
      ...orNull(timestamp),
      description:
        'Since when it takes no events: it was disabled, or it failed for days; null: it takes events',
    },
    ({ endpoint }) => toIso(endpoint.disabledAt),
  ],
  created_at: [timestamp, ({ endpoint }) => toIso(endpoint.createdAt)],
};

export const endpointOut = answer<ShownEndpoint>('EndpointOut', cells);

export const endpointList = responseObject(
  'EndpointList',
  {
    endpoints: listOf(endpointOut.schema),
    total: { ...count, description: 'Number of endpoints beside `webhook_url`; at most ten' },
  },
  nextCursor,
);

export const endpointChanged = answer<EndpointWithSecret>('EndpointChanged', {
  ...cells,
  secret: [
    { ...orNull(string), description: 'The secret, if this call set or generated it; it is not shown again' },
    'secret',
  ],
});
