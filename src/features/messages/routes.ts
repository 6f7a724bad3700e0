import type { World } from '../world.ts';
import { interactiveIn, sendInteractiveRequest } from './interactive.ts';
import {
  contactsIn,
  locationIn,
  sendContactsRequest,
  sendLocationRequest,
  sendReactionRequest,
} from './cards.ts';
import type { MediaSource } from './sends.ts';
import { sendCard, sendInteractive, sendMedia, sendReaction, sendTemplate, sendText } from './sends.ts';
import { apiRoute } from '../route.ts';
import type { RouteContext } from '../route.ts';
import { readExtras } from './extras.ts';
import { messageTimeline } from './timeline.ts';
import type { SendAnswer, SendCommand } from './types.ts';
import type { ApiCall, ApiRoute } from '../../http/route.ts';
import { noBody } from '../../http/validation/request-body.ts';
import type { BodyOf, RequestBody } from '../../http/validation/request-body.ts';
import { fieldFault } from '../../kernel/faults.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { requireId } from '../../http/validation/ids.ts';
import {
  sendMediaRequest,
  sendMessageRequest,
  sendAnswer,
  sendMessageResponse,
  sendTemplateRequest,
  sendTemplateResponse,
} from './schemas.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { messageOut } from './list-schemas.ts';

/** [spec: Sending messages] */
export const messageRoutes: readonly ApiRoute<World>[] = [
  sendRoute({
    post: '/api/v1/messages/send',
    name: 'sendText',
    summary: 'Sends a text message',
    body: sendMessageRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, { channelId, recipient, idempotencyKey, requestId }, { world }) =>
      // A spread of `command` followed by one more property would cost 2 µs a send.
      sendText(world, caller, {
        channelId,
        recipient,
        idempotencyKey,
        requestId,
        text: body.text,
        showsPreview: body.preview_url === true,
        extras: readExtras(body),
      }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-media',
    name: 'sendMedia',
    summary: 'Sends an image, audio, video or document; requires the pro tier',
    body: sendMediaRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, command, { world }) =>
      sendMedia(world, caller, {
        ...command,
        extras: readExtras(body),
        mediaType: body.media_type,
        ...sourceIn(body),
        caption: noneIfEmpty(body.caption),
        filename: noneIfEmpty(body.filename),
        isVoice: body.voice === true,
      }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-interactive',
    name: 'sendInteractive',
    summary:
      'Sends a text with something to press: buttons, quick replies, a list, a link or a request for the location',
    body: sendInteractiveRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, command, { world }) =>
      sendInteractive(world, caller, {
        ...command,
        extras: readExtras(body),
        content: interactiveIn(body),
      }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-location',
    name: 'sendLocation',
    summary: kindNotes.sendLocation,
    body: sendLocationRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, command, { world }) =>
      sendCard(world, caller, { ...command, extras: readExtras(body), content: locationIn(body) }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-contacts',
    name: 'sendContacts',
    summary: kindNotes.sendContacts,
    body: sendContactsRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, command, { world }) =>
      sendCard(world, caller, { ...command, extras: readExtras(body), content: contactsIn(body) }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-reaction',
    name: 'sendReaction',
    summary: kindNotes.sendReaction,
    body: sendReactionRequest,
    response: sendMessageResponse,
    send: ({ caller, body }, command, { world }) =>
      sendReaction(world, caller, { ...command, messageId: body.message_id, emoji: body.emoji }),
  }),
  sendRoute({
    post: '/api/v1/messages/send-template',
    name: 'sendTemplate',
    summary: kindNotes.sendTemplate,
    body: sendTemplateRequest,
    response: sendTemplateResponse,
    send: ({ caller, body }, { channelId, recipient, idempotencyKey, requestId }, { world }) =>
      sendTemplate(world, caller, {
        channelId,
        recipient,
        idempotencyKey,
        requestId,
        name: body.template_name,
        language: body.language,
        variables: body.variables ?? null,
      }),
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

function sourceIn({ media_url: url, media_id: mediaId }: BodyOf<typeof sendMediaRequest>): MediaSource {
  if (typeof mediaId !== 'string') return { url: url ?? '' };
  if (typeof url === 'string') throw fieldFault(['body', 'media_id'], 'Give media_url or media_id, not both');
  return { mediaId: requireId('media_id', mediaId) };
}

function noneIfEmpty(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

interface SendSpec<B> {
  post: string;
  name: string;
  summary: string;
  body: RequestBody<B>;
  response: JsonSchema;
  send: (call: ApiCall<B>, command: SendCommand, context: RouteContext) => Promise<SendAnswer>;
}

/** A send route: what the three send endpoints have in common. */
function sendRoute<B extends { channel_id: string; recipient: string }>(spec: SendSpec<B>): ApiRoute<World> {
  const { send, response, ...described } = spec;
  return apiRoute({
    ...described,
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
    errors: [400, 402, 404, 409],
    sheds: true,
    success: { status: 200, schema: response },
    async answer(call, context) {
      const { channel_id, recipient } = call.body;
      const idempotencyKey = call.idempotencyKey();
      const channelId = requireId('channel_id', channel_id);
      const { requestId } = call;
      const command = { channelId, recipient, requestId, idempotencyKey };
      return sendAnswer(await send(call, command, context));
    },
  });
}
