import { answer } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
import { count, flag, listOf, orNull, string } from '../../http/validation/json-schema.ts';
import type { DefaultWebhook } from './entity.ts';
import type { DefaultWithSecret } from './service.ts';

interface Standing {
  standing: DefaultWebhook;
}

const cells: Cells<Standing> = {
  webhook_url: [
    { ...orNull(string), description: 'Where events of new channels are POSTed; null: there is no default' },
    ({ standing }) => standing.webhookUrl,
  ],
  has_webhook_secret: [
    { ...flag, description: 'True if deliveries are signed' },
    ({ standing }) => standing.webhookSecret !== null,
  ],
  webhook_events: [
    { ...orNull(listOf(string)), description: 'Event types; a channel starts with those that its type has' },
    ({ standing }) => standing.webhookEvents,
  ],
  failed_retention_days: [
    {
      ...orNull(count),
      description: 'null: not chosen; channels connected by the API then start with 0, in the portal with 3',
    },
    ({ standing }) => standing.failedRetentionDays,
  ],
};

export const defaultWebhookOut = answer<Standing>('DefaultWebhookOut', cells);

export const defaultWebhookUpdated = answer<DefaultWithSecret>('DefaultWebhookUpdated', {
  ...cells,
  webhook_secret: [
    { ...orNull(string), description: 'The secret, if this call set or generated it; it is not shown again' },
    'webhookSecret',
  ],
});
