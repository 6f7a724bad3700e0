import { apiRoute } from '../../route.ts';
import { requireId } from '../../validation/ids.ts';
import { sendMessageRequest, sendMessageResponse } from '../schemas/send-text.ts';
import * as views from '../views.ts';

/** [spec: Sending messages] */
export const messageRoutes = [
  apiRoute({
    method: 'post',
    path: '/api/v1/messages/send',
    name: 'sendText',
    tag: 'Messages',
    summary: 'Sends a text message',
    description:
      'Answers 200 also when the send fails: look at `success` and `status`. Do not resend while it is `queued`.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'The same key and body within 24 h return the first answer; another body is 409',
      },
    ],
    errors: [400, 402, 404, 409],
    sheds: true,
    body: sendMessageRequest,
    success: { status: 200, schema: sendMessageResponse },
    async answer({ caller, body, idempotencyKey }, { useCases }) {
      const answer = await useCases.sendText(caller, {
        channelId: requireId('channel_id', body.channel_id),
        recipient: body.recipient,
        text: body.text,
        idempotencyKey: idempotencyKey(),
      });
      return views.sendMessageResponse(answer);
    },
  }),
];
