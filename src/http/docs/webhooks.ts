/** The POSTs to a channel's `webhook_url` in the OpenAPI document. [spec: Events; Delivery and retry of webhooks] */
import { channelTypes } from '../../rules/vocabulary.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { deliveryEvents, eventTable, testEvent } from '../../rules/events/table.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { describeEvent, eventSchema } from './event-schemas.ts';
import type { Hoist } from './hoist.ts';

export const webhookTag = 'Webhooks';

const testMeaning = 'Test event, sent by POST /api/v1/channels/{channel_id}/webhook/test';

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
      '`sha256=` and the lowercase hex HMAC-SHA256 of the raw body, keyed with `webhook_secret`; compare it in constant time. Absent if the channel has no secret',
  },
  {
    name: 'X-Webhook-Signature-Previous',
    required: false,
    schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    description: 'The same with the previous secret as key, for 24 hours after the secret was replaced',
  },
  {
    name: 'X-Webhook-Id',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    description: 'Id of the delivery, the same on every retry: use it to detect duplicates',
  },
  {
    name: 'X-Webhook-Attempt',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: 'Number of the attempt; the first is 1',
  },
  {
    name: 'X-Webhook-Timestamp',
    required: true,
    schema: { type: 'integer' },
    description: 'Time of this attempt in Unix seconds',
  },
  {
    name: 'webhook-id',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    description: 'The same as `X-Webhook-Id`, as Standard Webhooks names it',
  },
  {
    name: 'webhook-timestamp',
    required: true,
    schema: { type: 'integer' },
    description: 'The same as `X-Webhook-Timestamp`; `webhook-signature` covers it',
  },
  {
    name: 'webhook-signature',
    required: false,
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
    description:
      '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{raw body}`: refuse an old timestamp, so that nobody can repeat a delivery. For 24 hours after the secret was replaced also one with the previous secret, after a space. The key: base64 after `whsec_` is decoded, any other secret is taken as it is. Absent if the channel has no secret',
  },
  {
    name: 'X-Request-Id',
    required: false,
    schema: { type: 'string' },
    description: 'The `X-Request-Id` of the API call that sent the message; absent if there was none',
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
        ? 'Signed like every event. One attempt, no retries.'
        : 'Delivered if `webhook_events` of the channel lists it. Delivered at least once; the order of events is not guaranteed.',
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema: hoist.ref(schema), example } } },
    responses: {
      '2XX': {
        description: 'Delivered. By default the answer must come within 5 seconds; its body is ignored',
      },
      '4XX': {
        description:
          'Not delivered, as with any answer other than 2XX, a timeout or no connection. By default the service retries 7 times within 20 minutes',
      },
    },
  };
}
