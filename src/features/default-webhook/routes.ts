import { apiRoute } from '../route.ts';
import { requestBody, noBody } from '../../http/validation/request-body.ts';
import { count, orNull, requestObject, withExample } from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { maxFailedRetentionDays } from '../../rules/channels/channel.ts';
import { startingFields, toPatch } from '../channels/index.ts';
import { defaultWebhookOut, defaultWebhookUpdated } from './schemas.ts';
import { readDefaultWebhook, updateDefaultWebhook } from './service.ts';

const fields: Record<string, JsonSchema> = {
  ...startingFields,
  failed_retention_days: {
    ...orNull({ ...count, minimum: 0, maximum: maxFailedRetentionDays }),
    description:
      'Days, 0 to 30, for which new channels keep the content of a permanently failed delivery, so that it can be sent again. null: not chosen; channels connected by the API then start with 0, in the portal with 3',
  },
};

export const defaultWebhookRequest = requestBody(
  withExample(requestObject('DefaultWebhookRequest', {}, fields), {
    webhook_url: 'https://hooks.example.com/trunkline',
    webhook_events: ['message.received', 'channel.updated'],
    failed_retention_days: 3,
  }),
);

const path = '/api/v1/default-webhook';
const tag = 'Channels';

export const defaultWebhookRoutes = [
  apiRoute({
    get: path,
    name: 'readDefaultWebhook',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Returns the webhook settings that new channels start with',
    body: noBody,
    success: { status: 200, schema: defaultWebhookOut.schema },
    async answer({ caller }, { world }) {
      return defaultWebhookOut.of({ standing: await readDefaultWebhook(world, caller) });
    },
  }),
  apiRoute({
    patch: path,
    name: 'updateDefaultWebhook',
    needs: ['channels:write'],
    tag,
    summary: 'Changes the webhook settings that new channels start with',
    description:
      'An omitted field keeps its value. A channel starts with them if it is connected for the first time and `exchange-code` gives no `webhook_url`; present channels stay as they are. A channel without a `webhook_url` sends its `channel.updated` and `template.updated` there, if `webhook_events` lists them.',
    body: defaultWebhookRequest,
    success: { status: 200, schema: defaultWebhookUpdated.schema },
    async answer({ caller, body }, { world }) {
      return defaultWebhookUpdated.of(await updateDefaultWebhook(world, caller, toPatch(body)));
    },
  }),
];
