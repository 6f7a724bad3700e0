import type { World } from '../world.ts';
import { apiRoute } from '../route.ts';
import { messageTimeline } from './timeline.ts';
import type { ApiRoute } from '../../http/route.ts';
import { noBody } from '../../http/validation/request-body.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { requireId } from '../../http/validation/ids.ts';
import { sendAnswer, sendMessageResponse, sendTemplateResponse } from './schemas.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { messageOut } from './list-schemas.ts';
import { sendWays } from './send-ways.ts';
import type { SendWay } from './send-ways.ts';

/** [spec: Sending messages] */
export const messageRoutes: readonly ApiRoute<World>[] = [
  sendRoute({
    way: sendWays.text,
    name: 'sendText',
    summary: 'Sends a text message',
    response: sendMessageResponse,
  }),
  sendRoute({
    way: sendWays.media,
    name: 'sendMedia',
    summary: 'Sends an image, audio, video or document; requires the pro tier',
    response: sendMessageResponse,
    errors: [410],
  }),
  sendRoute({
    way: sendWays.interactive,
    name: 'sendInteractive',
    summary:
      'Sends a text with something to press: buttons, quick replies, a list, a link or a request for the location',
    response: sendMessageResponse,
  }),
  sendRoute({
    way: sendWays.location,
    name: 'sendLocation',
    summary: kindNotes.sendLocation,
    response: sendMessageResponse,
  }),
  sendRoute({
    way: sendWays.contacts,
    name: 'sendContacts',
    summary: kindNotes.sendContacts,
    response: sendMessageResponse,
  }),
  sendRoute({
    way: sendWays.reaction,
    name: 'sendReaction',
    summary: kindNotes.sendReaction,
    response: sendMessageResponse,
  }),
  sendRoute({
    way: sendWays.template,
    name: 'sendTemplate',
    summary: kindNotes.sendTemplate,
    response: sendTemplateResponse,
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}/messages/{message_id}',
    name: 'readMessage',
    needs: ['messages:read'],
    tag: 'Messages',
    summary: 'Returns the timeline of a message: upstream calls, statuses, deliveries',
    description:
      'Available for messages sent through the service, and for echoes while `echo_statuses` is on, as long as the delivery log is kept. The content of the message is not included.',
    body: noBody,
    success: { status: 200, schema: messageOut.schema },
    async answer(call, { world }) {
      const found = await messageTimeline(world, call.caller, call.id('channel_id'), call.id('message_id'));
      return messageOut.of(found);
    },
  }),
];

interface SendSpec<B> {
  way: SendWay<B>;
  name: string;
  summary: string;
  response: JsonSchema;
  /** Beyond those of every send. */
  errors?: number[];
}

/** A route of `sendWays`: what all sends have in common. */
function sendRoute<B extends { channel_id: string; recipient: string }>(spec: SendSpec<B>): ApiRoute<World> {
  const { way, response, errors = [], ...described } = spec;
  return apiRoute({
    ...described,
    post: way.path,
    body: way.body,
    tag: 'Messages',
    needs: ['messages:send'],
    description:
      'Answers 200 also if the send fails: check `success` and `status`. Do not resend a message while it is `queued`, not even after a timeout of your HTTP client.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
        description:
          'Makes a repeated request safe: the same key with the same body returns the first response for 24 hours; the same key with another body or path is 409',
      },
    ],
    errors: [400, 402, 404, 409, ...errors],
    sheds: true,
    success: { status: 200, schema: response },
    async answer(call, { world }) {
      const { channel_id, recipient } = call.body;
      const idempotencyKey = call.idempotencyKey();
      const channelId = requireId('channel_id', channel_id);
      const { requestId } = call;
      const command = { channelId, recipient, requestId, idempotencyKey };
      return sendAnswer(await way.send(world, call.caller, call.body, command));
    },
  });
}
