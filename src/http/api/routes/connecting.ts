import { toIso } from '../../../kernel/clock.ts';
import { apiRoute } from '../../route.ts';
import { toWebhookPatch } from '../schemas/channel-update.ts';
import { exchangeCodeRequest, exchangeCodeResponse } from '../schemas/exchange-code.ts';
import { setupUrlRequest, setupUrlResponse } from '../schemas/setup-url.ts';

const tag = 'Connecting a channel';

/** [spec: Connecting a channel] */
export const connectingRoutes = [
  apiRoute({
    post: '/api/v1/channels/setup-url',
    name: 'startSetup',
    tag,
    summary: 'Starts a setup flow, which connects a new channel or reconnects a channel',
    description:
      'Open `setup_url` in a browser. After the user has granted access at the upstream platform, the browser goes to `redirect_uri` with a one-time `code`, or with `error` and `error_description`. 402 if no slot is free.',
    errors: [400, 402, 404],
    body: setupUrlRequest,
    success: { status: 200, schema: setupUrlResponse },
    async answer({ caller, body }, { useCases }) {
      const { channel_type: channelType, redirect_uri: redirectUri, channel_id: channelId } = body;
      const request = { channelType, redirectUri, channelId };
      const started = await useCases.startSetup(caller, request);
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
    tag,
    summary: 'Exchanges the one-time code of a setup flow for the channel',
    description:
      'The code works once and expires after 5 minutes by default. After a 502 the same code can be used again. With `webhook_url` no later PATCH is needed; without `webhook_events` no event is delivered. The response shows `webhook_secret` only if this call set or generated it; it is not shown again.',
    errors: [400, 402, 502],
    body: exchangeCodeRequest,
    success: { status: 200, schema: exchangeCodeResponse.schema },
    async answer({ caller, body }, { useCases }) {
      const request = { code: body.code, ...toWebhookPatch(body) };
      return exchangeCodeResponse.of(await useCases.exchangeCode(caller, request));
    },
  }),
];
