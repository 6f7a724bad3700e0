import {
  listOf,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  text,
  withExample,
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';
import { webhookFields } from './channel-update.ts';
import type { WebhookFields } from './channel-update.ts';
import { channelTypeWord } from './common.ts';

interface ExchangeCodeRequest extends WebhookFields {
  code: string;
}

/** [spec: Connecting a channel] */
export const exchangeCodeRequest = requestBody<ExchangeCodeRequest>(
  withExample(requestObject('ExchangeCodeRequest', { code: text() }, webhookFields), {
    code: 'the-code-of-the-redirect',
    webhook_url: 'https://hooks.example.com/trunkline',
    webhook_events: ['message.received'],
  }),
);

export const exchangeCodeResponse = responseObject('ExchangeCodeResponse', {
  channel_id: ourId,
  channel_type: channelTypeWord,
  name: orNull(string),
  phone_number_id: orNull(string),
  phone_number: orNull(string),
  photoapp_account_id: orNull(string),
  photoapp_username: orNull(string),
  page_id: orNull(string),
  webhook_url: orNull(string),
  webhook_secret: orNull(string),
  webhook_events: orNull(listOf(string)),
});
