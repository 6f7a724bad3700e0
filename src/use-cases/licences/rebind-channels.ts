import type { Channel } from '../../domain/channels/channel.ts';
import { statusAt } from '../../domain/licences/operability.ts';
import { chooseSlot } from '../../domain/licences/slots.ts';
import type { Subscription, SubscriptionStatus } from '../../domain/licences/subscription.ts';
import { announceChange } from '../announce-change.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';

/**
 * Moves active channels of ended licences to free slots of operable ones, oldest first; a channel that an operator unbound
 * stays unbound. Returns the channels without a slot. [operator-interface §4: several subscriptions with a free slot]
 */
export async function rebindChannels(deps: UseCaseDeps, accountId: string): Promise<Channel[]> {
  const now = deps.clock.now();
  const { graceMs } = deps.settings;
  const { subscriptions, channels } = deps.stores;
  const licences = await subscriptions.list(accountId);
  const ended = new Set(
    licences.filter((each) => hasEnded(statusAt(each, now, graceMs))).map(({ id }) => id),
  );
  const holders = (await channels.list(accountId, everything)).items;
  const toRebind = holders.filter(
    (each) => each.isActive && each.subscriptionId !== null && ended.has(each.subscriptionId),
  );
  const left: Channel[] = [];
  for (const channel of toRebind) {
    const free = await bindToFree(deps, channel, licences, holders);
    if (free === null) {
      left.push(channel);
      continue;
    }
    holders[holders.indexOf(channel)] = { ...channel, subscriptionId: free.id };
    await announceChange(deps, channel.id);
  }
  return left;
}

/** The chosen slot may be taken by an unexchanged code or a concurrent call: then the next licence is tried. */
async function bindToFree(
  deps: UseCaseDeps,
  channel: Channel,
  licences: readonly Subscription[],
  holders: readonly Channel[],
): Promise<Subscription | null> {
  const free = chooseSlot(licences, holders, channel.channelType, deps.clock.now(), deps.settings.graceMs);
  if (free === null || (await deps.stores.channels.bind(channel.id, free.id)) === 'bound') return free;
  const others = licences.filter(({ id }) => id !== free.id);
  return bindToFree(deps, channel, others, holders);
}

/** A licence on hold at the provider (`none`) has not ended: it may resume at any moment, and its channels wait for it. */
function hasEnded(status: SubscriptionStatus): boolean {
  return status === 'expired' || status === 'canceled';
}
