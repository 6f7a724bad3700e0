import { bindChannel } from './bind-channel.ts';
import { createSubscription } from './create-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';
import { updateSubscription } from './update-subscription.ts';

export const licenceUseCases = {
  listSubscriptions,
  createSubscription,
  updateSubscription,
  receiveBillingEvent,
  bindChannel,
};
