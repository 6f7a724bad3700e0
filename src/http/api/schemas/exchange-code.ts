import type { ChannelWithSecret } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import { orNull, ourId, requestObject, string, text, withExample } from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';
import { webhookFields } from './channel-update.ts';
import type { WebhookFields } from './channel-update.ts';
import { makeProfileCell, webhookCells } from './channel.ts';
import { channelTypeWord } from './common.ts';

interface ExchangeCodeRequest extends WebhookFields {
  code: string;
}

/** [spec: Connecting a channel] */
export const exchangeCodeRequest = requestBody<ExchangeCodeRequest>(
  withExample(
    requestObject(
      'ExchangeCodeRequest',
      {
        code: {
          ...text(),
          description:
            'The one-time `code` that the setup flow added to `redirect_uri`; valid for 5 minutes by default',
        },
      },
      webhookFields,
    ),
    {
      code: 'code-from-the-redirect',
      webhook_url: 'https://hooks.example.com/trunkline',
      webhook_events: ['message.received'],
    },
  ),
);

/** [spec: ExchangeCodeResponse] */
export const exchangeCodeResponse = answer<ChannelWithSecret>('ExchangeCodeResponse', {
  channel_id: [ourId, ({ channel }) => channel.id],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  name: [orNull(string), ({ channel }) => channel.name],
  phone_number_id: makeProfileCell('phone_number_id'),
  phone_number: makeProfileCell('phone_number'),
  photoapp_account_id: makeProfileCell('photoapp_account_id'),
  photoapp_username: makeProfileCell('photoapp_username'),
  page_id: makeProfileCell('page_id'),
  ...webhookCells,
});
