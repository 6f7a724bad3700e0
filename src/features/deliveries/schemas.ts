import { asWritten } from '../../kernel/ids.ts';
import { parseAttempts, deliveryStates } from '../../rules/webhooks/delivery.ts';
import type { LoggedAttempt } from '../../rules/webhooks/delivery.ts';
import { toIso } from '../../kernel/clock.ts';
import type { AskedReplay, ReplayProgress, ShownDelivery, WebhookTestResult } from './types.ts';
import { deliveryEvents, eventTypes } from '../../rules/events/table.ts';
import {
  count,
  flag,
  givenId,
  givenList,
  givenTimestamp,
  listOf,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  timestamp,
  withExample,
} from '../../http/validation/json-schema.ts';
import { answer } from '../../http/validation/response-body.ts';
import { parseTime } from '../../http/validation/query.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { BodyOf } from '../../http/validation/request-body.ts';
import { nextCursor } from '../../http/schemas/common.ts';

const statusCode = { ...orNull(count), description: 'HTTP status of the endpoint; null: it did not answer' };

const attempt = answer<LoggedAttempt>('DeliveryAttempt', {
  at: [{ ...timestamp, description: 'When the attempt began' }, ({ at }) => toIso(at)],
  status_code: [statusCode, 'status'],
  duration_ms: [count, 'durationMs'],
  error: [
    {
      ...orNull(string),
      description:
        'Why the attempt failed (`status`, `timeout`, `connection`, `tls`, `protocol`, …); null: it delivered the event',
    },
    'failure',
  ],
});

export const deliveryOut = answer<ShownDelivery>('DeliveryOut', {
  id: [{ ...ourId, description: 'Id of the delivery: the `X-Webhook-Id` header of its attempts' }, 'id'],
  endpoint_id: [
    {
      ...orNull(ourId),
      description: 'The endpoint that the event is for; null: the `webhook_url` of the channel',
    },
    'endpointId',
  ],
  event: [openWords(deliveryEvents), 'event'],
  message_id: [
    {
      ...string,
      description:
        'The `message_id` in the event; of a change its `change_id`, of a test event the id of the delivery',
    },
    'messageId',
  ],
  state: [
    {
      ...openWords(deliveryStates),
      description:
        '`pending`: more attempts follow; `delivered`: the endpoint answered 2xx; `failed`: permanently failed',
    },
    'state',
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  attempts: [
    { ...listOf(attempt.schema), description: 'The last nine attempts, oldest first' },
    ({ attemptLog }) => parseAttempts(attemptLog).map(attempt.of),
  ],
  next_attempt_at: [
    { ...orNull(timestamp), description: 'When the next attempt is due; null unless `pending`' },
    ({ state, nextDueAt }) => (state === 'pending' ? toIso(nextDueAt) : null),
  ],
  result: [
    {
      ...orNull(string),
      description:
        'HTTP status of the last attempt or, if the endpoint did not answer, the reason; null before the first attempt',
    },
    'lastResult',
  ],
  can_retry: [
    {
      ...flag,
      description:
        'True if the event can be sent again: the delivery is pending, or it failed and its content is kept',
    },
    ({ state, keptUntil }) => state === 'pending' || keptUntil !== null,
  ],
  kept_until: [
    {
      ...orNull(timestamp),
      description:
        'Until when the content of a failed delivery is kept, so that it can be sent again; null: it is not kept',
    },
    ({ keptUntil }) => toIso(keptUntil),
  ],
});

/** [operator-interface §3: Additive paths] */
export const replayRequest = requestBody(
  withExample(
    requestObject(
      'ReplayRequest',
      { since: { ...givenTimestamp, description: 'Replays deliveries that failed at this time or later' } },
      {
        until: {
          ...orNull(givenTimestamp),
          description: 'Replays deliveries that failed at this time or earlier; omitted: until now',
        },
        events: {
          ...orNull(givenList(oneOfWords(eventTypes))),
          description: 'Replays only these event types; omitted: all',
        },
        endpoint_id: {
          ...orNull(givenId),
          description: 'Replays the deliveries of this endpoint; omitted: those of `webhook_url`',
        },
      },
    ),
    { since: '2026-01-01T00:00:00Z', events: ['message.received'] },
  ),
);

export function toReplay({
  since,
  until,
  events,
  endpoint_id: endpointId,
}: BodyOf<typeof replayRequest>): AskedReplay {
  const wanted = events ?? null;
  return {
    since: parseTime(since) ?? 0,
    until: parseTime(until) ?? null,
    events: wanted === null ? null : eventTypes.filter((event) => wanted.includes(event)),
    endpointId: endpointId == null ? null : asWritten(endpointId),
  };
}

export const replayResponse = responseObject('ReplayResponse', {
  replaying: { ...count, description: 'Number of failed deliveries that are replayed' },
});

const replayOut = answer<ReplayProgress>('ReplayProgress', {
  total: [
    { ...count, description: 'Number of deliveries to replay, when the replay was requested' },
    'total',
  ],
  begun: [{ ...count, description: 'Deliveries whose replay has begun' }, 'begun'],
  is_running: [{ ...flag, description: 'False once the replay has ended' }, 'isRunning'],
  asked_at: [{ ...timestamp, description: 'When the replay was requested' }, ({ askedAt }) => toIso(askedAt)],
});

export function replayProgressOut(replay: ReplayProgress | null): unknown {
  return replay === null ? null : replayOut.of(replay);
}

/** `next_cursor` is always present: the answer is always one page. */
export const deliveryListResponse = responseObject('DeliveryListResponse', {
  deliveries: listOf(deliveryOut.schema),
  total: { ...count, description: 'Number of deliveries on this page' },
  replay: {
    ...orNull(replayOut.schema),
    description: 'Progress of the last replay of the channel; null: there was none',
  },
  ...nextCursor,
});

export const webhookTestOut = answer<WebhookTestResult>('WebhookTestResponse', {
  success: [
    { ...flag, description: 'True if the endpoint answered 2xx within the time limit' },
    ({ failure }) => failure === null,
  ],
  delivery_id: [
    { ...ourId, description: 'Id of the delivery: the `X-Webhook-Id` header of the test event' },
    'deliveryId',
  ],
  status_code: [statusCode, 'status'],
  duration_ms: [count, 'durationMs'],
  error: [
    {
      ...orNull(string),
      description: 'Why the test failed, as `error` of an attempt in the delivery log; null: it succeeded',
    },
    'failure',
  ],
});
