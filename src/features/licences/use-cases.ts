import { audited, unrecorded } from '../audit/audited.ts';
import { licenceSnapshot } from '../audit/snapshots.ts';
import { changeOfChannel } from '../channels/index.ts';
import { bindChannel, createSubscription, updateSubscription } from './subscriptions.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';

export const licenceUseCases = {
  ...unrecorded('reads', { listSubscriptions }),
  ...unrecorded('traffic', { receiveBillingEvent }),
  createSubscription: audited(createSubscription, {
    action: 'licence.created',
    after: (_deps, { subscription }) => licenceSnapshot(subscription),
  }),
  updateSubscription: audited(updateSubscription, {
    action: 'licence.updated',
    written: ({ before, subscription }) => ({
      before: licenceSnapshot(before),
      after: licenceSnapshot(subscription),
    }),
  }),
  bindChannel: audited(bindChannel, {
    action: 'channel.bound',
    written: (changed) => changeOfChannel(changed),
  }),
};
