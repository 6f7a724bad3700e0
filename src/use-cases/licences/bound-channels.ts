import type { Channel } from '../../domain/channels/channel.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';

/** The channels bound to a licence, inactive ones included. */
export async function channelsBoundTo(
  { stores }: UseCaseDeps,
  { id, accountId }: Subscription,
): Promise<Channel[]> {
  const { items } = await stores.channels.list(accountId, everything);
  return items.filter(({ subscriptionId }) => subscriptionId === id);
}
