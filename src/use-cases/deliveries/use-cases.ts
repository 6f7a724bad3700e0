import { listDeliveries } from './list.ts';
import { missedEvents } from './missed.ts';
import { replayDeliveries, replayProgress } from './replay.ts';
import { retryDelivery } from './retry.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = {
  listDeliveries,
  missedEvents,
  replayDeliveries,
  replayProgress,
  retryDelivery,
  testWebhook,
};
