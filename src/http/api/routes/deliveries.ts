import { deliveryEvents } from '../../../domain/events/table.ts';
import { deliveryStates } from '../../../domain/webhooks/delivery.ts';
import { apiRoute } from '../../route.ts';
import { cursorFields, readChoices } from '../../validation/query.ts';
import { noBody } from '../../validation/request-body.ts';
import * as schemas from '../schemas/deliveries.ts';
import { pageParameters } from './page-parameters.ts';

const tag = 'Deliveries';

/** Additive: the delivery log of a channel. [operator-interface §2, DELIVERY_LOG_DAYS] */
export const deliveryRoutes = [
  apiRoute({
    get: '/api/v1/channels/{channel_id}/deliveries',
    name: 'listDeliveries',
    tag,
    summary: 'The delivery log of a channel, newest first',
    description:
      'At most 100 without `limit`. A page may be short or empty while `next_cursor` is there: one call looks at a bounded part of the log.',
    parameters: [
      ...pageParameters,
      { name: 'event', in: 'query', schema: schemas.eventWord, description: 'Only this event' },
      { name: 'state', in: 'query', schema: schemas.deliveryStateWord, description: 'Only in this state' },
    ],
    body: noBody,
    success: { status: 200, schema: schemas.deliveryListResponse },
    async answer(call, { useCases }) {
      const { event, state } = readChoices(call.query, { event: deliveryEvents, state: deliveryStates });
      const filter = { event, state };
      const channelId = call.id('channel_id');
      const [found, replay] = await Promise.all([
        useCases.listDeliveries(call.caller, channelId, filter, call.page),
        useCases.replayProgress(call.caller, channelId),
      ]);
      const deliveries = found.items.map(schemas.deliveryOut.of);
      const total = deliveries.length;
      return {
        deliveries,
        total,
        replay: schemas.replayProgressOut(replay),
        ...cursorFields(found.nextCursor),
      };
    },
  }),
  apiRoute({
    post: '/api/v1/channels/{channel_id}/deliveries/{delivery_id}/retry',
    name: 'retryDelivery',
    tag,
    summary: 'One attempt now, whatever the schedule says',
    description:
      'While the delivery is `pending`: one that fails leaves the schedule as it was. What was given up and is kept (`failed_retention_days`) gets all its attempts anew. 409 once the payload is erased. The answer does not wait for the attempt.',
    errors: [409],
    body: noBody,
    does: (call, { useCases }) =>
      useCases.retryDelivery(call.caller, call.id('channel_id'), call.id('delivery_id')),
  }),
  apiRoute({
    post: '/api/v1/channels/{channel_id}/deliveries/replay',
    name: 'replayDeliveries',
    tag,
    summary: 'Posts again what was given up then and is kept',
    description:
      'In the order of the events, under the same `X-Webhook-Id`, each with all its attempts anew; `replay` of the delivery log says how far it is. What is given up once more is not taken again. 409 without a webhook, or while 20 replays of the channel are under way.',
    errors: [409],
    body: schemas.replayRequest,
    success: { status: 202, schema: schemas.replayResponse },
    answer: (call, { useCases }) =>
      useCases.replayDeliveries(call.caller, call.id('channel_id'), schemas.toReplay(call.body)),
  }),
  apiRoute({
    post: '/api/v1/channels/{channel_id}/webhook/test',
    name: 'testWebhook',
    tag,
    summary: 'Sends a signed test event to `webhook_url`',
    description:
      'The event is `webhook.test`, in the envelope of every event, with empty `data`. Answers 200 with what the endpoint said, also when it failed; 400 without a `webhook_url`. It is in the delivery log. Ten a minute for an account.',
    errors: [400],
    body: noBody,
    success: { status: 200, schema: schemas.webhookTestResponse },
    async answer(call, { useCases }) {
      const tested = await useCases.testWebhook(call.caller, call.id('channel_id'));
      return {
        success: tested.failure === null,
        delivery_id: tested.deliveryId,
        status_code: tested.status,
        duration_ms: tested.durationMs,
        error: tested.failure,
      };
    },
  }),
];
