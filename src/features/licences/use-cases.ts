import { bindChannel, createSubscription, updateSubscription } from './subscriptions.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';

export const licenceUseCases = {
  listSubscriptions,
  receiveBillingEvent,
  createSubscription,
  updateSubscription,
  bindChannel,
};
