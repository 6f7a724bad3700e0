import type { SubscriptionStatus, Tier } from '../../domain/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { SubscriptionWithChannels } from './use-cases.ts';
import type { UseCaseDeps } from '../deps.ts';

/** undefined: leave as it is. */
export interface SubscriptionPatch {
  status?: SubscriptionStatus;
  tier?: Tier;
  /** ms. */
  expiresAt?: number | null;
  autoRenew?: boolean;
}

/** Takes effect at once for every channel bound to the licence. Throws 404 `not_found`. [operator-interface §4 canceled] */
export async function updateSubscription(
  deps: UseCaseDeps,
  subscriptionId: string,
  patch: SubscriptionPatch,
): Promise<SubscriptionWithChannels> {
  const subscription = await deps.stores.subscriptions.update(subscriptionId, patch);
  if (subscription === null) throw fault('not_found', { what: 'Subscription' });
  const all = await deps.stores.channels.list(subscription.accountId, { limit: null, cursor: null });
  const channels = all.items.filter((channel) => channel.subscriptionId === subscription.id);
  await Promise.all(channels.map((channel) => announceChange(deps, channel.id)));
  return { subscription, channels };
}
