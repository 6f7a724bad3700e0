import type { UseCaseDeps } from '../deps.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { createSubscription } from './create-subscription.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';
import { updateSubscription } from './update-subscription.ts';
import { bindChannel } from './bind-channel.ts';
import type { LicenceUseCases } from './use-cases.ts';

export function bindLicences(deps: UseCaseDeps): LicenceUseCases {
  return {
    listSubscriptions: (caller, page) => listSubscriptions(deps, caller, page),
    createSubscription: (accountId, request) => createSubscription(deps, accountId, request),
    updateSubscription: (subscriptionId, patch) => updateSubscription(deps, subscriptionId, patch),
    receiveBillingEvent: (raw, signature) => receiveBillingEvent(deps, raw, signature),
    bindChannel: (channelId, subscriptionId) => bindChannel(deps, channelId, subscriptionId),
  };
}
