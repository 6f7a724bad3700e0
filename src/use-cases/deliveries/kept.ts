/** What is kept of given-up deliveries goes when its days are over, or the channel no longer asks for it. [operator-interface §4] */
import type { Channel } from '../../domain/channels/channel.ts';
import type { UseCaseDeps } from '../deps.ts';
import { readById } from '../long-lists.ts';

const dayMs = 86_400_000;

/** Until when what was given up can be sent again; null: nothing is kept of it. */
export function keptUntil(
  { isActive, failedRetentionDays }: Pick<Channel, 'isActive' | 'failedRetentionDays'>,
  keptSince: number | null,
): number | null {
  if (keptSince === null || !isActive || failedRetentionDays === 0) return null;
  return keptSince + failedRetentionDays * dayMs;
}

type KeptDeps = Pick<UseCaseDeps, 'stores' | 'router' | 'clock'>;

/** Erases what the channel's setting of now does not keep. `channel` null: it is not there any more. */
export async function eraseUnkept(
  { stores, router, clock }: KeptDeps,
  channelId: string,
  channel: Channel | null,
): Promise<void> {
  const days = channel?.isActive === true ? channel.failedRetentionDays : 0;
  const erased = await stores.keptDeliveries.erase(channelId, clock.now() - days * dayMs);
  // Its owner counts anew how much room there is.
  if (erased > 0 && days > 0) router.tell(channelId, { type: 'settings-changed' });
}

/** For all channels; also what an owner has kept before it knew of a change. */
export async function sweepKept(deps: KeptDeps): Promise<void> {
  const { stores } = deps;
  const channelIds = readById((after, limit) => stores.keptDeliveries.channels(after, limit));
  for await (const channelId of channelIds)
    await eraseUnkept(deps, channelId, await stores.channels.byId(channelId));
}
