/** The POSTs to a channel's `webhook_url` in the OpenAPI document. [spec: Events; Delivery and retry of webhooks] */
import { channelTypes } from '../../domain/vocabulary.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { deliveryEvents, eventTable, testEvent } from '../../domain/events/table.ts';
import type { DeliveryEvent } from '../../domain/events/table.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { describeEvent, eventSchema } from './event-schemas.ts';
import type { Hoist } from './hoist.ts';

export const webhookTag = 'Webhooks';

const testMeaning = 'Asked for by `POST /api/v1/channels/{channel_id}/webhook/test`; no message of anybody';

function describeMeaning(event: DeliveryEvent): string {
  if (event === testEvent) return testMeaning;
  const { meaning } = eventTable[event];
  const types = channelTypes.filter((type) => kindOf(type).availableEvents.includes(event));
  return types.length === channelTypes.length ? meaning : `${meaning}; ${types.join(', ')} only`;
}

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

/** The `webhooks` section of the document. */
export function writeWebhooks(hoist: Hoist): JsonSchema {
  hoist.ref(eventSchema);
  return Object.fromEntries(deliveryEvents.map((event) => [event, { post: writeWebhook(event, hoist) }]));
}

function writeWebhook(event: DeliveryEvent, hoist: Hoist): JsonSchema {
  const { schema, example } = describeEvent(event);
  return {
    operationId: event.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [webhookTag],
    summary: describeMeaning(event),
    description:
      event === testEvent
        ? 'Signed as every delivery; one attempt.'
        : 'Delivered while `webhook_events` names it. At least once, in no sure order.',
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema: hoist.ref(schema), example } } },
    responses: {
      '2XX': { description: 'Taken. Within 5 seconds by default; the body is not looked at' },
      '4XX': { description: 'As anything else: tried again, by default 7 times within 20 minutes' },
    },
  };
}
