import { eventTypes } from '../../rules/events/table.ts';
import { maxFailedRetentionDays } from '../../rules/channels/channel.ts';
import { maxSecretLength } from '../../rules/webhooks/signature.ts';
import type { WebhookPatch } from '../index.ts';
import {
  count,
  flag,
  givenList,
  orNull,
  requestObject,
  shown,
  text,
  webhookUrl,
  withExample,
} from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';

/** Webhook settings in a request: a missing field leaves the setting as it is, null clears it. */
export interface WebhookFields {
  webhook_url?: string | null;
  webhook_secret?: string | null;
  webhook_events?: string[] | null;
}

export const webhookFields = {
  webhook_url: {
    ...shown(orNull(webhookUrl), { maxLength: 2048 }),
    description:
      'URL to which the service POSTs events. HTTPS, at most 2048 characters; not a loopback or private address',
  },
  webhook_secret: {
    ...orNull(text({ minLength: 1, maxLength: maxSecretLength })),
    description:
      'Sets or rotates the HMAC secret that signs deliveries. Omitted: the current secret stays; the first `webhook_url` without a secret generates one. null: PATCH clears the secret, exchange-code treats it as omitted',
  },
  webhook_events: {
    ...orNull(givenList(shown(text(), { enum: eventTypes }))),
    description:
      'Event types to deliver; which are available depends on the channel type. By default none is delivered',
  },
};

export function toWebhookPatch(body: WebhookFields): WebhookPatch {
  return {
    webhookUrl: body.webhook_url,
    webhookSecret: body.webhook_secret,
    webhookEvents: body.webhook_events,
  };
}

interface ChannelUpdateRequest extends WebhookFields {
  echo_statuses?: boolean;
  failed_retention_days?: number;
  keep_answers?: boolean;
}

const failedRetentionDays = { ...count, minimum: 0, maximum: maxFailedRetentionDays };

/** [spec: ChannelUpdateRequest; operator-interface §3] */
export const channelUpdateRequest = requestBody<ChannelUpdateRequest>(
  withExample(
    requestObject(
      'ChannelUpdateRequest',
      {},
      {
        ...webhookFields,
        echo_statuses: { ...flag, description: 'Turns status events for echoed messages on or off' },
        failed_retention_days: {
          ...failedRetentionDays,
          description:
            'Days, 0 to 30, for which the content of a permanently failed delivery is kept, so that it can be sent again; content that was kept longer is erased',
        },
        keep_answers: {
          ...flag,
          description:
            "Keeps the webhook endpoint's responses for the portal's delivery pages even when they are 2xx",
        },
      },
    ),
    {
      webhook_url: 'https://hooks.example.com/trunkline',
      webhook_events: ['message.received', 'message.delivered'],
      echo_statuses: false,
      failed_retention_days: 0,
      keep_answers: false,
    },
  ),
);

export function toChannelPatch(body: ChannelUpdateRequest): WebhookPatch {
  return {
    ...toWebhookPatch(body),
    echoStatuses: body.echo_statuses,
    failedRetentionDays: body.failed_retention_days,
    keepAnswers: body.keep_answers,
  };
}
