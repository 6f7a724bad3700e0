import { givenId, requestObject, withExample } from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import { requireId } from '../../http/validation/ids.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import type { ApiRoute } from '../../http/route.ts';
import type { Signal } from '../../upstream/signal-calls.ts';
import { apiRoute } from '../route.ts';
import type { World } from '../world.ts';
import { someId } from './schemas.ts';
import { sendSignal } from './signals.ts';

const signalRequest = requestBody(
  withExample(requestObject('SignalRequest', { channel_id: givenId }), { channel_id: someId }),
);

/** [spec: Additions] */
export const signalRoutes: readonly ApiRoute<World>[] = [
  signalRoute('read', {
    name: 'markRead',
    summary: 'Marks a received message as read, as the person sees it',
    description: kindNotes.markRead,
    repeatable: true,
  }),
  signalRoute('typing', {
    name: 'showTyping',
    summary: 'Shows the person that somebody writes an answer',
    description: kindNotes.showTyping,
  }),
];

function signalRoute(
  signal: Signal,
  described: { name: string; summary: string; description: string; repeatable?: boolean },
): ApiRoute<World> {
  return apiRoute({
    post: `/api/v1/messages/{message_id}/${signal}`,
    ...described,
    tag: 'Messages',
    needs: ['messages:send'],
    body: signalRequest,
    errors: [400, 402, 404, 502],
    does: (call, { world }) =>
      sendSignal(world, call.caller, {
        channelId: requireId('channel_id', call.body.channel_id),
        messageId: call.id('message_id'),
        signal,
      }),
  });
}
