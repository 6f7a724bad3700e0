/** What other features call. */
export { listSubscriptions } from './list-subscriptions.ts';
export { freeLicences, moveLicence } from './move-licence.ts';
export { licencePage, newestSlots } from './newest-slots.ts';
export { sourceWords } from './pages/billing.tsx';
export { subscriptionOut } from './schemas.ts';
export { chooseSlot, whyNoSlot } from './slots.ts';
export { bindChannel, createSubscription, updateSubscription } from './subscriptions.ts';
export type { SubscriptionWithChannels } from './types.ts';
