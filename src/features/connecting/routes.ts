import { asWritten } from '../../kernel/ids.ts';
import { startSetup } from './start-setup.ts';
import { exchangeCode } from './exchange-code.ts';
import { apiRoute } from '../route.ts';
import { toIso } from '../../kernel/clock.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import {
  givenId,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  text,
  timestamp,
  withExample,
} from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';
import { exchangeFields, toExchangePatch, makeProfileCell, webhookCells } from '../channels/index.ts';
import type { ChannelWithSecret } from '../channels/index.ts';
import { channelType, channelTypeWord } from '../../http/schemas/common.ts';

/** [spec: Connecting a channel] */
const exchangeCodeRequest = requestBody(
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
      exchangeFields,
    ),
    {
      code: 'code-from-the-redirect',
      webhook_url: 'https://hooks.example.com/trunkline',
      webhook_events: ['message.received'],
    },
  ),
);

/** [spec: ExchangeCodeResponse] */
const exchangeCodeResponse = answer<ChannelWithSecret>('ExchangeCodeResponse', {
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

/** [spec: Connecting a channel] */
const setupUrlRequest = requestBody(
  withExample(
    requestObject(
      'SetupUrlRequest',
      {
        channel_type: channelType,
        redirect_uri: {
          ...text({ maxLength: 2048 }),
          description:
            'Where the browser goes at the end of the setup flow. It must match a redirect pattern of this API key. Its own query is kept, but must not contain `code`, `error` or `error_description`',
        },
      },
      {
        channel_id: {
          ...orNull(givenId),
          description:
            'Reconnects exactly this channel, whether active or inactive; no free slot is needed. Omitted: the setup flow may connect a new channel',
        },
      },
    ),
    { channel_type: channelTypes[0], redirect_uri: 'https://app.example.com/connected' },
  ),
);

const setupUrlResponse = responseObject('SetupUrlResponse', {
  setup_url: { ...string, description: 'URL for the user to open in a browser or popup' },
  session_id: { ...ourId, description: 'Id of the setup flow' },
  expires_at: {
    ...timestamp,
    description: '`setup_url` works until then, or until the flow has returned a `code`',
  },
});

const tag = 'Connecting a channel';

/** [spec: Connecting a channel] */
export const connectingRoutes = [
  apiRoute({
    post: '/api/v1/channels/setup-url',
    name: 'startSetup',
    needs: ['channels:write'],
    tag,
    summary: 'Starts a setup flow, which connects a new channel or reconnects a channel',
    description:
      'Open `setup_url` in a browser. After the user has granted access at the upstream platform, the browser goes to `redirect_uri` with a one-time `code`, or with `error` and `error_description`. 402 if no slot is free.',
    errors: [400, 402, 404],
    body: setupUrlRequest,
    success: { status: 200, schema: setupUrlResponse },
    async answer({ caller, body }, { world }) {
      const started = await startSetup(world, caller, {
        channelType: body.channel_type,
        redirectUri: body.redirect_uri,
        channelId: body.channel_id == null ? null : asWritten(body.channel_id),
      });
      return {
        setup_url: started.setupUrl,
        session_id: started.sessionId,
        expires_at: toIso(started.expiresAt),
      };
    },
  }),
  apiRoute({
    post: '/api/v1/channels/exchange-code',
    name: 'exchangeCode',
    needs: ['channels:write'],
    tag,
    summary: 'Exchanges the one-time code of a setup flow for the channel',
    description:
      'The code works once and expires after 5 minutes by default. After a 502 the same code can be used again. With `webhook_url` no later PATCH is needed; without `webhook_events` no event is delivered. The response shows `webhook_secret` only if this call set or generated it; it is not shown again.',
    errors: [400, 402, 502],
    body: exchangeCodeRequest,
    success: { status: 200, schema: exchangeCodeResponse.schema },
    async answer({ caller, body }, { world }) {
      const request = { code: body.code, ...toExchangePatch(body) };
      return exchangeCodeResponse.of(await exchangeCode(world, caller, request));
    },
  }),
];
