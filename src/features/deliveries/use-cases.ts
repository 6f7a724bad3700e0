import { listDeliveries, readDelivery } from './log.ts';
import { listAccountDeliveries } from './list-all.ts';
import { missedEvents } from './missed.ts';
import { replayDeliveries, replayProgress, retryDelivery } from './replay.ts';
import { countKept, replayAll, replaysProgress, retryDeliveries } from './replay-all.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = {
  countKept,
  listAccountDeliveries,
  listDeliveries,
  missedEvents,
  readDelivery,
  replayProgress,
  replaysProgress,
  testWebhook,
  retryDelivery,
  retryDeliveries,
  replayDeliveries,
  replayAll,
};
