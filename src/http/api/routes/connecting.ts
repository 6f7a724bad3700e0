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
    summary: 'Starts the setup flow of a new channel, or of one that is connected again',
    description: 'Open `setup_url` in a browser; the flow ends at `redirect_uri` with a one-time `code`.',
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
    summary: 'Exchanges the one-time code for the channel',
    description:
      'The code is single-use and expires after 5 minutes by default. `webhook_secret` is shown once.',
    errors: [400, 402, 502],
    body: exchangeCodeRequest,
    success: { status: 200, schema: exchangeCodeResponse.schema },
    async answer({ caller, body }, { useCases }) {
      const request = { code: body.code, ...toWebhookPatch(body) };
      return exchangeCodeResponse.of(await useCases.exchangeCode(caller, request));
    },
  }),
];
