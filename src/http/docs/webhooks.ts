/** The POSTs to a channel's `webhook_url`, for the contract. [spec: Events; Delivery and retry of webhooks] */
import { channelTypes } from '../../domain/vocabulary.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { eventTable, eventTypes } from '../../domain/events/table.ts';
import type { EventType } from '../../domain/events/table.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { eventSchema, eventSchemas } from './event-schemas.ts';
import type { Hoist } from './hoist.ts';

export const webhookTag = 'Webhooks';

type Told = EventType | 'webhook.test';

const testMeaning = 'Asked for by `POST /api/v1/channels/{channel_id}/webhook/test`; no message of anybody';

function describeMeaning(event: Told): string {
  if (event === 'webhook.test') return testMeaning;
  const { meaning } = eventTable[event];
  const types = channelTypes.filter((type) => kindOf(type).availableEvents.includes(event));
  return types.length === channelTypes.length ? meaning : `${meaning}; ${types.join(', ')} only`;
}

const channel = {
  channel_id: '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f',
  channel_type: channelTypes[0],
  timestamp: '2026-01-01T00:00:00.000Z',
};
const message = { message_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' };
const about = (status: string) => ({ ...message, status, recipient: '4915900000777' });

const exampleData: Record<Told, Record<string, unknown>> = {
  'message.received': {
    ...message,
    from: '4915900000777',
    from_name: 'Mia Vogel',
    type: 'text',
    text: 'Are you open?',
  },
  'message.echo': {
    ...message,
    recipient: '4915900000777',
    status: 'sent',
    type: 'text',
    text: 'We open at nine.',
  },
  'message.sent': about('sent'),
  'message.delivered': about('delivered'),
  'message.read': about('read'),
  'message.failed': {
    ...about('failed'),
    error: 'The recipient cannot be reached on this platform',
    errors: [{ code: 131026, title: 'Message undeliverable' }],
  },
  'webhook.test': {},
};

const headers: readonly JsonSchema[] = [
  {
    name: 'X-Webhook-Signature',
    required: false,
    schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    description:
      'HMAC-SHA256 of the raw body under `webhook_secret`; compare in constant time. Absent when there is no secret.',
  },
  {
    name: 'X-Webhook-Signature-Previous',
    required: false,
    schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    description: 'The same under the secret before, for 24 hours after it was replaced',
  },
  {
    name: 'X-Webhook-Id',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    description: 'The same on every retry: what to deduplicate on',
  },
  {
    name: 'X-Webhook-Attempt',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: '1 for the first attempt',
  },
  {
    name: 'X-Webhook-Timestamp',
    required: true,
    schema: { type: 'integer' },
    description: 'When this attempt was made, Unix seconds',
  },
  {
    name: 'X-Request-Id',
    required: false,
    schema: { type: 'string' },
    description: 'That of the call that sent the message, where one did',
  },
].map((header) => ({ ...header, in: 'header' }));

/** `webhooks` of the document. */
export function writeWebhooks(hoist: Hoist): JsonSchema {
  const told: readonly Told[] = [...eventTypes, 'webhook.test'];
  hoist.ref(eventSchema);
  return Object.fromEntries(told.map((event) => [event, { post: writeWebhook(event, hoist) }]));
}

function writeWebhook(event: Told, hoist: Hoist): JsonSchema {
  const example = { event, ...channel, data: exampleData[event] };
  const schema = hoist.ref(eventSchemas[event]);
  return {
    operationId: event.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [webhookTag],
    summary: describeMeaning(event),
    description:
      event === 'webhook.test'
        ? 'Signed as every delivery; one attempt.'
        : 'Delivered while `webhook_events` names it. At least once, in no sure order.',
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': { description: 'Taken. Within 5 seconds; the body is not looked at' },
      '4XX': { description: 'As anything else: tried again 7 times within 20 minutes' },
    },
  };
}
