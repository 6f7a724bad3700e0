import type { Channel } from '../../domain/channels/channel.ts';
import { statusAt } from '../../domain/licences/operability.ts';
import { chooseSlot } from '../../domain/licences/slots.ts';
import type { SubscriptionStatus } from '../../domain/licences/subscription.ts';
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
  const stranded = holders
    .filter((each) => each.isActive && each.subscriptionId !== null && ended.has(each.subscriptionId))
    .toSorted((a, b) => a.createdAt - b.createdAt);
  const left: Channel[] = [];
  for (const channel of stranded) {
    const free = chooseSlot(licences, holders, channel.channelType, now, graceMs);
    const result = free === null ? 'none' : await channels.bind(channel.id, free.id);
    if (free === null || result !== 'bound') {
      left.push(channel);
      continue;
    }
    holders[holders.indexOf(channel)] = { ...channel, subscriptionId: free.id };
    await announceChange(deps, channel.id);
  }
  return left;
}

/** One that the provider holds back (`none`) may go on at any moment: its channels wait. */
function hasEnded(status: SubscriptionStatus): boolean {
  return status === 'expired' || status === 'canceled';
}
