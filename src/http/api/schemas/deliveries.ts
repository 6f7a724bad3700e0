import {
  count,
  flag,
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
} from '../../validation/json-schema.ts';
import { parseAttempts } from '../../../domain/webhooks/attempt-log.ts';
import type { LoggedAttempt } from '../../../domain/webhooks/attempt-log.ts';
import { toIso } from '../../../kernel/clock.ts';
import type { AskedReplay, ReplayProgress, ShownDelivery } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import { deliveryEvents, eventTypes } from '../../../domain/events/table.ts';
import { deliveryStates } from '../../../domain/webhooks/delivery.ts';
import { parseTime } from '../../validation/query-values.ts';
import { requestBody } from '../../validation/request-body.ts';
import { nextCursor } from './common.ts';

export const eventWord = openWords(deliveryEvents);
export const deliveryStateWord = openWords(deliveryStates);

const attempt = answer<LoggedAttempt>('DeliveryAttempt', {
  at: [{ ...timestamp, description: 'When it began' }, ({ at }) => toIso(at)],
  status_code: [
    { ...orNull(count), description: 'What the endpoint answered; null: nothing' },
    ({ status }) => status,
  ],
  duration_ms: [count, ({ durationMs }) => durationMs],
  error: [
    {
      ...orNull(string),
      description: 'Why it failed (`status`, `timeout`, `connection`, `tls`, `protocol`, …); null: delivered',
    },
    ({ failure }) => failure,
  ],
});

export const deliveryOut = answer<ShownDelivery>('DeliveryOut', {
  id: [{ ...ourId, description: 'The `X-Webhook-Id`' }, ({ id }) => id],
  event: [eventWord, ({ event }) => event],
  message_id: [string, ({ messageId }) => messageId],
  state: [deliveryStateWord, ({ state }) => state],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  attempts: [
    { ...listOf(attempt.schema), description: 'Oldest first; the last nine' },
    ({ attemptLog }) => parseAttempts(attemptLog).map(attempt.of),
  ],
  next_attempt_at: [
    { ...orNull(timestamp), description: 'null once it has ended' },
    ({ state, nextDueAt }) => (state === 'pending' ? toIso(nextDueAt) : null),
  ],
  result: [
    {
      ...orNull(string),
      description: 'Status code of the last attempt, or why there was none; null before the first',
    },
    ({ lastResult }) => lastResult,
  ],
  can_retry: [
    { ...flag, description: 'Its payload is still there: it is pending, or given up and kept' },
    ({ state, keptUntil }) => state === 'pending' || keptUntil !== null,
  ],
  kept_until: [
    {
      ...orNull(timestamp),
      description: 'What was given up can be sent again until then; null: it is not kept',
    },
    ({ keptUntil }) => toIso(keptUntil),
  ],
});

interface ReplayRequest {
  since: string;
  until?: string | null;
  events?: string[] | null;
}

/** [operator-interface §3: Additive paths] */
export const replayRequest = requestBody<ReplayRequest>(
  withExample(
    requestObject(
      'ReplayRequest',
      { since: { ...givenTimestamp, description: 'Given up then or later' } },
      {
        until: { ...orNull(givenTimestamp), description: 'Given up then or earlier; left out: until now' },
        events: {
          ...orNull(givenList(oneOfWords(eventTypes))),
          description: 'Only these events; left out: all',
        },
      },
    ),
    { since: '2026-01-01T00:00:00Z', events: ['message.received'] },
  ),
);

export function toReplay({ since, until, events }: ReplayRequest): AskedReplay {
  const wanted = events ?? null;
  return {
    since: parseTime(since) ?? 0,
    until: parseTime(until) ?? null,
    events: wanted === null ? null : eventTypes.filter((event) => wanted.includes(event)),
  };
}

export const replayResponse = responseObject('ReplayResponse', {
  replaying: { ...count, description: 'How many were given up then and are kept' },
});

const replayOut = answer<ReplayProgress>('ReplayProgress', {
  total: [{ ...count, description: 'How many there were when it was asked for' }, ({ total }) => total],
  begun: [{ ...count, description: 'Those that were put on their way again' }, ({ begun }) => begun],
  is_running: [flag, ({ isRunning }) => isRunning],
  asked_at: [timestamp, ({ askedAt }) => toIso(askedAt)],
});

export function replayProgressOut(replay: ReplayProgress | null): unknown {
  return replay === null ? null : replayOut.of(replay);
}

/** `next_cursor` is always present: the answer is always one page. */
export const deliveryListResponse = responseObject('DeliveryListResponse', {
  deliveries: listOf(deliveryOut.schema),
  total: { ...count, description: 'On this page' },
  replay: { ...orNull(replayOut.schema), description: 'How far the last replay is; null: there was none' },
  ...nextCursor,
});

export const webhookTestResponse = responseObject('WebhookTestResponse', {
  success: { ...flag, description: 'The endpoint answered 2xx in time' },
  delivery_id: { ...ourId, description: 'The `X-Webhook-Id` of the test' },
  status_code: orNull(count),
  duration_ms: count,
  error: { ...orNull(string), description: 'As in an attempt of the delivery log' },
});
