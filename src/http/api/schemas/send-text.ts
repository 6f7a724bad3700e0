import {
  count,
  flag,
  oneOfWords,
  orNull,
  requestObject,
  responseObject,
  string,
  text,
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';

interface SendMessageRequest {
  channel_id: string;
  recipient: string;
  text: string;
}

/** [spec: Sending messages] Length and recipient are the channel kind's rules: 400 with a code, not 422. */
export const sendMessageRequest = requestBody<SendMessageRequest>(
  requestObject('SendMessageRequest', {
    channel_id: text(),
    recipient: text(),
    text: text({ minLength: 1 }),
  }),
);

/** [spec: Send responses] */
export const sendMessageResponse = responseObject(
  'SendMessageResponse',
  {
    success: flag,
    message_id: orNull(string),
    error: orNull(string),
    status: orNull(oneOfWords(['sent', 'queued', 'failed'])),
  },
  {
    error_code: {
      ...orNull(count),
      description: 'Upstream error code; only there when the failure came from upstream',
    },
  },
);
