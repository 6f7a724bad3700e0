import {
  count,
  flag,
  listOf,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../validation/json-schema.ts';
import { parseAttempts } from '../../../domain/webhooks/attempt-log.ts';
import type { LoggedAttempt } from '../../../domain/webhooks/attempt-log.ts';
import { toIso } from '../../../kernel/clock.ts';
import type { LoggedDelivery } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import { eventTypes } from '../../../domain/events/table.ts';
import { deliveryStates } from '../../../domain/webhooks/delivery.ts';
import { nextCursor } from './common.ts';

export const eventWord = openWords(eventTypes);
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

export const deliveryOut = answer<LoggedDelivery>('DeliveryOut', {
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
  can_retry: [{ ...flag, description: 'Its payload is still there' }, ({ state }) => state === 'pending'],
});

/** `next_cursor` is always there: no answer has everything. */
export const deliveryListResponse = responseObject('DeliveryListResponse', {
  deliveries: listOf(deliveryOut.schema),
  total: { ...count, description: 'On this page' },
  ...nextCursor,
});

export const webhookTestResponse = responseObject('WebhookTestResponse', {
  success: { ...flag, description: 'The endpoint answered 2xx in time' },
  delivery_id: { ...ourId, description: 'The `X-Webhook-Id` of the test' },
  status_code: orNull(count),
  duration_ms: count,
  error: { ...orNull(string), description: 'As in an attempt of the delivery log' },
});
