import type { UseCaseDeps } from '../deps.ts';
import { listDeliveries } from './list.ts';
import { missedEvents } from './missed.ts';
import { retryDelivery } from './retry.ts';
import { webhookTester } from './test-webhook.ts';
import type { DeliveryUseCases } from './use-cases.ts';

export function bindDeliveries(deps: UseCaseDeps): DeliveryUseCases {
  return {
    listDeliveries: (caller, channelId, filter, page) =>
      listDeliveries(deps, caller, channelId, filter, page),
    missedEvents: (accountId, since) => missedEvents(deps, accountId, since),
    retryDelivery: (caller, channelId, deliveryId) => retryDelivery(deps, caller, channelId, deliveryId),
    testWebhook: webhookTester(deps),
  };
}
