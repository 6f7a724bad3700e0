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
import { eventTypes } from '../../../domain/vocabulary.ts';
import { deliveryStates } from '../../../domain/webhooks/delivery.ts';
import { nextCursor } from './common.ts';

export const eventWord = openWords(eventTypes);
export const deliveryStateWord = openWords(deliveryStates);

const attempt = responseObject('DeliveryAttempt', {
  at: { ...timestamp, description: 'When it began' },
  status_code: { ...orNull(count), description: 'What the endpoint answered; null: nothing' },
  duration_ms: count,
  error: {
    ...orNull(string),
    description: 'Why it failed (`status`, `timeout`, `connection`, `tls`, `protocol`, …); null: delivered',
  },
});

export const deliveryOut = responseObject('DeliveryOut', {
  id: { ...ourId, description: 'The `X-Webhook-Id`' },
  event: eventWord,
  message_id: string,
  state: deliveryStateWord,
  created_at: timestamp,
  attempts: { ...listOf(attempt), description: 'Oldest first; the last nine' },
  next_attempt_at: { ...orNull(timestamp), description: 'null once it has ended' },
  result: {
    ...orNull(string),
    description: 'Status code of the last attempt, or why there was none; null before the first',
  },
  can_retry: { ...flag, description: 'Its payload is still there' },
});

/** `next_cursor` is always there: no answer has everything. */
export const deliveryListResponse = responseObject('DeliveryListResponse', {
  deliveries: listOf(deliveryOut),
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
