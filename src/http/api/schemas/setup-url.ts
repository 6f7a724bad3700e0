import { channelTypes } from '../../../domain/vocabulary.ts';
import type { ChannelType } from '../../../domain/vocabulary.ts';
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
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';
import { channelType } from './common.ts';

interface SetupUrlRequest {
  channel_type: ChannelType;
  redirect_uri: string;
  channel_id?: string | null;
}

/** [spec: Connecting a channel] */
export const setupUrlRequest = requestBody<SetupUrlRequest>(
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

export const setupUrlResponse = responseObject('SetupUrlResponse', {
  setup_url: { ...string, description: 'URL for the user to open in a browser or popup' },
  session_id: { ...ourId, description: 'Id of the setup flow' },
  expires_at: {
    ...timestamp,
    description: '`setup_url` works until then, or until the flow has returned a `code`',
  },
});
