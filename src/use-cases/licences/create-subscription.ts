import type { Subscription } from '../../domain/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SubscriptionRequest, SubscriptionWithChannels } from './types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { channelsBoundTo } from './bound-channels.ts';
import { moveStranded } from './move-stranded.ts';

/** A licence granted by an operator, from now on; channels whose own works no more move to it. Throws 404 `not_found`. */
export async function createSubscription(
  deps: UseCaseDeps,
  accountId: string,
  request: SubscriptionRequest,
): Promise<SubscriptionWithChannels> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const subscription = newSubscription(account.id, request, deps.clock.now());
  await deps.stores.subscriptions.insert(subscription);
  await moveStranded(deps, account.id);
  return { subscription, channels: await channelsBoundTo(deps, subscription) };
}

function newSubscription(accountId: string, request: SubscriptionRequest, now: number): Subscription {
  return {
    id: newId(),
    accountId,
    status: 'active',
    source: request.source,
    tier: request.tier,
    startsAt: now,
    expiresAt: request.expiresAt,
    autoRenew: request.autoRenew,
    externalId: null,
    billed: null,
    createdAt: now,
  };
}
