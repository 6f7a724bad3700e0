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
      { channel_type: channelType, redirect_uri: text({ maxLength: 2048 }) },
      {
        channel_id: {
          ...orNull(givenId),
          description: 'Reconnects exactly this channel, active or inactive; it needs no free slot',
        },
      },
    ),
    { channel_type: channelTypes[0], redirect_uri: 'https://app.example.com/connected' },
  ),
);

export const setupUrlResponse = responseObject('SetupUrlResponse', {
  setup_url: string,
  session_id: ourId,
  expires_at: timestamp,
});
