import { unrecorded } from '../audit/audited.ts';
import { listDeliveries } from './list.ts';
import { listAccountDeliveries } from './list-all.ts';
import { missedEvents } from './missed.ts';
import { readDelivery } from './read.ts';
import { replayDeliveries, replayProgress } from './replay.ts';
import { countKept, replayAll, replaysProgress, retryDeliveries } from './replay-all.ts';
import { retryDelivery } from './retry.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = {
  ...unrecorded('reads', {
    countKept,
    listAccountDeliveries,
    listDeliveries,
    missedEvents,
    readDelivery,
    replayProgress,
    replaysProgress,
  }),
  ...unrecorded('traffic', { replayAll, replayDeliveries, retryDeliveries, retryDelivery, testWebhook }),
};
