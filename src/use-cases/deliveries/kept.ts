/** Erases kept payloads of given-up deliveries after the channel's days, or once the channel keeps none. [operator-interface §4] */
import type { Channel } from '../../domain/channels/channel.ts';
import type { UseCaseDeps } from '../deps.ts';
import { readById } from '../ports/paging.ts';
import { dayMs } from '../../kernel/clock.ts';

/** Time (ms) until which a given-up delivery can be sent again; null: its payload is not kept. */
export function keptUntil(
  { isActive, failedRetentionDays }: Pick<Channel, 'isActive' | 'failedRetentionDays'>,
  keptSince: number | null,
): number | null {
  if (keptSince === null || !isActive || failedRetentionDays === 0) return null;
  return keptSince + failedRetentionDays * dayMs;
}

type KeptDeps = Pick<UseCaseDeps, 'stores' | 'router' | 'clock'>;

/** Erases payloads that the channel's present setting does not keep. `channel` null: it was deleted. */
export async function eraseUnkept(
  { stores, router, clock }: KeptDeps,
  channelId: string,
  channel: Channel | null,
): Promise<void> {
  const days = channel?.isActive === true ? channel.failedRetentionDays : 0;
  const erased = await stores.keptDeliveries.erase(channelId, clock.now() - days * dayMs);
  // The owner must recount its free room.
  if (erased > 0 && days > 0) router.tell(channelId, { type: 'settings-changed' });
}

/** Runs `eraseUnkept` for all channels; also erases what an owner kept before it learned of a change. */
export async function sweepKept(deps: KeptDeps): Promise<void> {
  const { stores } = deps;
  const channelIds = readById((after, limit) => stores.keptDeliveries.channels(after, limit));
  for await (const channelId of channelIds)
    await eraseUnkept(deps, channelId, await stores.channels.byId(channelId));
}
