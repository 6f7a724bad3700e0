import type { Channel } from '../../domain/channels/channel.ts';
import { statusAt } from '../../domain/licences/operability.ts';
import { chooseSlot } from '../../domain/licences/slots.ts';
import type { Subscription, SubscriptionStatus } from '../../domain/licences/subscription.ts';
import { announceChange } from '../announce-change.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';

/**
 * Active channels whose licence has ended move to free slots of those that work, the oldest first; one that an operator unbound
 * stays unbound. Answers those that found none. [operator-interface §4: several subscriptions with a free slot]
 */
export async function moveStranded(deps: UseCaseDeps, accountId: string): Promise<Channel[]> {
  const now = deps.clock.now();
  const { graceMs } = deps.settings;
  const { subscriptions, channels } = deps.stores;
  const licences = await subscriptions.list(accountId);
  const ended = new Set(
    licences.filter((each) => hasEnded(statusAt(each, now, graceMs))).map(({ id }) => id),
  );
  const holders = (await channels.list(accountId, everything)).items;
  const stranded = holders.filter(
    (each) => each.isActive && each.subscriptionId !== null && ended.has(each.subscriptionId),
  );
  const left: Channel[] = [];
  for (const channel of stranded) {
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

/** A slot may be taken all the same, by a code that is not exchanged yet or meanwhile: then the next best is tried. */
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

/** One that the provider holds back (`none`) may go on at any moment: its channels wait. */
function hasEnded(status: SubscriptionStatus): boolean {
  return status === 'expired' || status === 'canceled';
}
