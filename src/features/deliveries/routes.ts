import { asWritten } from '../../kernel/ids.ts';
import { apiRoute } from '../route.ts';
import { listDeliveries } from './log.ts';
import { replayProgress, retryDelivery, replayDeliveries } from './replay.ts';
import { testWebhook } from './test-webhook.ts';
import { deliveryEvents } from '../../rules/events/table.ts';
import { deliveryStates } from '../../rules/webhooks/delivery.ts';
import { LazyList } from '../../http/long-json.ts';
import { givenId, oneOfWords } from '../../http/validation/json-schema.ts';
import { cursorFields, readChoices, readText } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import * as schemas from './schemas.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';

const tag = 'Deliveries';
const maxIdLength = 100;

/** Additive: the delivery log of a channel. [operator-interface §2, DELIVERY_LOG_DAYS] */
export const deliveryRoutes = [
  apiRoute({
    get: '/api/v1/channels/{channel_id}/deliveries',
    name: 'listDeliveries',
    needs: ['messages:read'],
    tag,
    summary: 'Lists the webhook deliveries of a channel, newest first',
    description:
      'Without `limit` a page has at most 100 deliveries. One call searches a limited part of the log, so that with `event` or `state` a page can be short or empty although more follow: go on until `next_cursor` is null.',
    parameters: [
      ...pageParameters,
      inQuery('event', oneOfWords(deliveryEvents), 'Only deliveries of this event type'),
      inQuery('endpoint_id', givenId, 'Deliveries of this endpoint; without it those of `webhook_url`'),
      inQuery('state', oneOfWords(deliveryStates), 'Only deliveries in this state'),
    ],
    body: noBody,
    success: { status: 200, schema: schemas.deliveryListResponse },
    async answer(call, { world }) {
      const { event, state } = readChoices(call.query, { event: deliveryEvents, state: deliveryStates });
      const endpointId = readText(call.query, 'endpoint_id', maxIdLength);
      const filter = { event, state, endpointId: endpointId === null ? null : asWritten(endpointId) };
      const channelId = call.id('channel_id');
      const [found, replay] = await Promise.all([
        listDeliveries(world, call.caller, channelId, filter, call.page),
        replayProgress(world, call.caller, channelId, filter.endpointId),
      ]);
      const deliveries = new LazyList(found.items, schemas.deliveryOut.of);
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
    needs: ['channels:write'],
    tag,
    summary: 'Retries a delivery now',
    description:
      'A `pending` delivery gets one attempt now; if it fails, the retry schedule is unchanged. A `failed` delivery whose content is kept (`failed_retention_days`) starts again with all attempts. 409 if the content has been erased. The response does not wait for the attempt.',
    errors: [409],
    body: noBody,
    does: (call, { world }) =>
      retryDelivery(world, call.caller, call.id('channel_id'), call.id('delivery_id')),
  }),
  apiRoute({
    post: '/api/v1/channels/{channel_id}/deliveries/replay',
    name: 'replayDeliveries',
    needs: ['channels:write'],
    tag,
    summary: 'Replays the failed deliveries of a period',
    description:
      'Sends the `failed` deliveries whose content is kept (`failed_retention_days`) again, in the order of the events, with the same `X-Webhook-Id` and with all attempts. `replay` in the delivery log shows the progress. A delivery that fails again is not repeated by this replay. 404 if the channel has no such endpoint; 409 if the channel has no webhook or the endpoint takes no events, or while 20 replays of it are running.',
    errors: [409],
    body: schemas.replayRequest,
    success: { status: 202, schema: schemas.replayResponse },
    answer: (call, { world }) =>
      replayDeliveries(world, call.caller, call.id('channel_id'), schemas.toReplay(call.body)),
  }),
  apiRoute({
    post: '/api/v1/channels/{channel_id}/webhook/test',
    name: 'testWebhook',
    needs: ['channels:write'],
    tag,
    summary: 'Sends a signed test event to webhook_url',
    description:
      'The event is `webhook.test`, in the usual envelope with empty `data`, and gets one attempt. Answers 200 with the result, also if the endpoint failed; 400 if the channel has no `webhook_url`. The test appears in the delivery log. At most 10 per account and minute on each node.',
    errors: [400],
    body: noBody,
    success: { status: 200, schema: schemas.webhookTestOut.schema },
    async answer(call, { world }) {
      return schemas.webhookTestOut.of(await testWebhook(world, call.caller, call.id('channel_id')));
    },
  }),
];
