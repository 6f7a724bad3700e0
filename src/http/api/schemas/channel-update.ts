import { eventTypes } from '../../../domain/events/table.ts';
import { maxFailedRetentionDays } from '../../../domain/channels/channel.ts';
import { maxSecretLength } from '../../../domain/webhooks/signature.ts';
import type { WebhookPatch } from '../../../use-cases/index.ts';
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
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';

/** Webhook settings in a request: a missing field leaves the setting as it is, null clears it. */
export interface WebhookFields {
  webhook_url?: string | null;
  webhook_secret?: string | null;
  webhook_events?: string[] | null;
}

export const webhookFields = {
  webhook_url: {
    ...shown(orNull(webhookUrl), { maxLength: 2048 }),
    description: 'Where events are POSTed; HTTPS, not loopback or private',
  },
  webhook_secret: {
    ...orNull(text({ minLength: 1, maxLength: maxSecretLength })),
    description:
      'Sets or rotates the HMAC secret; null clears it in PATCH, and is "not given" in exchange-code',
  },
  webhook_events: {
    ...orNull(givenList(shown(text(), { enum: eventTypes }))),
    description: "Enabled event types; which exist depends on the channel's type",
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
        echo_statuses: flag,
        failed_retention_days: {
          ...failedRetentionDays,
          description: 'Days that an event which was given up can be sent again; 0 erases its content',
        },
        keep_answers: {
          ...flag,
          description: 'Keeps what the receiver answers of 2xx too, for the pages of deliveries',
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
