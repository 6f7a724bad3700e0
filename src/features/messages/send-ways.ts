/** What each send does with the body of its request: of the API's calls, and of the portal's form, which makes the same bodies. */
import { fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { requireId } from '../../http/validation/ids.ts';
import type { BodyOf, RequestBody } from '../../http/validation/request-body.ts';
import type { RouteContext } from '../route.ts';
import type { World } from '../world.ts';
import {
  contactsIn,
  locationIn,
  sendContactsRequest,
  sendLocationRequest,
  sendReactionRequest,
} from './cards.ts';
import { readExtras } from './extras.ts';
import { interactiveIn, sendInteractiveRequest } from './interactive.ts';
import { sendMediaRequest, sendMessageRequest, sendTemplateRequest } from './schemas.ts';
import { sendCard, sendInteractive, sendMedia, sendReaction, sendTemplate, sendText } from './sends.ts';
import type { MediaSource } from './sends.ts';
import type { SendAnswer, SendCommand } from './types.ts';

interface Way<B> {
  /** Of the API. */
  path: string;
  body: RequestBody<B>;
  send: (world: World, caller: Caller, body: B, command: SendCommand) => Promise<SendAnswer>;
}

export interface SendWay<B> extends Way<B> {
  /** The send of a body that is yet to be held to the schema. Throws 422. */
  checked: (
    parse: RouteContext['parse'],
    value: unknown,
  ) => (world: World, caller: Caller, command: SendCommand) => Promise<SendAnswer>;
}

function way<B>(spec: Way<B>): SendWay<B> {
  return {
    ...spec,
    checked(parse, value) {
      const body = parse(spec.body, value);
      return (world, caller, command) => spec.send(world, caller, body, command);
    },
  };
}

export const sendWays = {
  text: way({
    path: '/api/v1/messages/send',
    body: sendMessageRequest,
    send: (world, caller, body, { channelId, recipient, idempotencyKey, requestId }) =>
      // A spread of the command followed by one more property would cost 2 µs a send.
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
  media: way({
    path: '/api/v1/messages/send-media',
    body: sendMediaRequest,
    send: (world, caller, body, { channelId, recipient, idempotencyKey, requestId }) =>
      sendMedia(world, caller, {
        channelId,
        recipient,
        idempotencyKey,
        requestId,
        extras: readExtras(body),
        mediaType: body.media_type,
        source: sourceIn(body),
        caption: noneIfEmpty(body.caption),
        filename: noneIfEmpty(body.filename),
        isVoice: body.voice === true,
      }),
  }),
  interactive: way({
    path: '/api/v1/messages/send-interactive',
    body: sendInteractiveRequest,
    send: (world, caller, body, command) =>
      sendInteractive(world, caller, { ...command, extras: readExtras(body), content: interactiveIn(body) }),
  }),
  location: way({
    path: '/api/v1/messages/send-location',
    body: sendLocationRequest,
    send: (world, caller, body, command) =>
      sendCard(world, caller, { ...command, extras: readExtras(body), content: locationIn(body) }),
  }),
  contacts: way({
    path: '/api/v1/messages/send-contacts',
    body: sendContactsRequest,
    send: (world, caller, body, command) =>
      sendCard(world, caller, { ...command, extras: readExtras(body), content: contactsIn(body) }),
  }),
  reaction: way({
    path: '/api/v1/messages/send-reaction',
    body: sendReactionRequest,
    send: (world, caller, body, command) =>
      sendReaction(world, caller, { ...command, messageId: body.message_id, emoji: body.emoji }),
  }),
  template: way({
    path: '/api/v1/messages/send-template',
    body: sendTemplateRequest,
    send: (world, caller, body, { channelId, recipient, idempotencyKey, requestId }) =>
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
};

/** The schema has seen to it that one of the two is there. */
function sourceIn({ media_url: url, media_id: mediaId }: BodyOf<typeof sendMediaRequest>): MediaSource {
  if (typeof mediaId !== 'string') return { url: url ?? '' };
  if (typeof url === 'string') throw fieldFault(['body', 'media_id'], 'Give media_url or media_id, not both');
  return { mediaId: requireId('media_id', mediaId) };
}

function noneIfEmpty(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
