import type { Subscription } from '../../domain/licences/subscription.ts';
import { trialEnd } from '../../domain/licences/trial.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SubscriptionRequest, SubscriptionWithChannels } from './types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { channelsBoundTo } from './bound-channels.ts';
import { rebindChannels } from './rebind-channels.ts';

/** An operator grants a licence that starts now; channels with an ended licence move to it. Throws 404 `not_found`. */
export async function createSubscription(
  deps: UseCaseDeps,
  accountId: string,
  request: SubscriptionRequest,
): Promise<SubscriptionWithChannels> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const subscription = newSubscription(deps, account.id, request);
  await deps.stores.subscriptions.insert(subscription);
  await rebindChannels(deps, account.id);
  return { subscription, channels: await channelsBoundTo(deps, subscription) };
}

function newSubscription(
  { clock, settings }: UseCaseDeps,
  accountId: string,
  request: SubscriptionRequest,
): Subscription {
  const now = clock.now();
  // Only an enterprise licence is perpetual. [spec: SubscriptionInfo; operator-interface §4: trial subscription]
  const isTrial = request.source === 'trial';
  return {
    id: newId(),
    accountId,
    status: 'active',
    source: request.source,
    tier: request.tier,
    startsAt: now,
    expiresAt: request.expiresAt ?? (isTrial ? trialEnd(now, settings.trialDays) : null),
    autoRenew: request.autoRenew,
    externalId: null,
    billed: null,
    createdAt: now,
  };
}
