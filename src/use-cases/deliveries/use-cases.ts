import { listDeliveries } from './list.ts';
import { missedEvents } from './missed.ts';
import { retryDelivery } from './retry.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = { listDeliveries, missedEvents, retryDelivery, testWebhook };
