import type { Subscription } from '../../domain/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { SubscriptionPatch, SubscriptionWithChannels } from './types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { channelsBoundTo } from './bound-channels.ts';
import { rebindChannels } from './rebind-channels.ts';
import { mailStopped } from './mail-stopped.ts';

/** Takes effect at once for every channel bound to the licence. Throws 404 `not_found`. [operator-interface §4 canceled] */
export async function updateSubscription(
  deps: UseCaseDeps,
  subscriptionId: string,
  patch: SubscriptionPatch,
): Promise<SubscriptionWithChannels> {
  const { subscriptions } = deps.stores;
  const known = await subscriptions.byId(subscriptionId);
  const subscription =
    known && (await subscriptions.update(known.id, revived(known, patch, deps.clock.now())));
  if (subscription === null) throw fault('not_found', { what: 'Subscription' });
  const bound = await channelsBoundTo(deps, subscription);
  await Promise.all(bound.map(({ id }) => announceChange(deps, id)));
  await mailStopped(deps, subscription, await rebindChannels(deps, subscription.accountId));
  return { subscription, channels: await channelsBoundTo(deps, subscription) };
}

/** Moving the end of an expired licence into the future makes the licence active again. */
function revived({ status }: Subscription, patch: SubscriptionPatch, now: number): SubscriptionPatch {
  const { expiresAt } = patch;
  const isAhead = expiresAt === null || (expiresAt !== undefined && expiresAt > now);
  return status === 'expired' && patch.status === undefined && isAhead
    ? { ...patch, status: 'active' }
    : patch;
}
