/** Erases kept payloads of given-up deliveries after the channel's days, or once the channel keeps none. [operator-interface §4] */
import type { Channel } from '../../rules/channels/channel.ts';
import type { World } from '../world.ts';
import { readById } from '../../kernel/paging.ts';
import { dayMs } from '../../kernel/clock.ts';

/** Time (ms) until which a given-up delivery can be sent again; null: its payload is not kept. */
export function keptUntil(
  { isActive, failedRetentionDays }: Pick<Channel, 'isActive' | 'failedRetentionDays'>,
  keptSince: number | null,
): number | null {
  if (keptSince === null || !isActive || failedRetentionDays === 0) return null;
  return keptSince + failedRetentionDays * dayMs;
}

type KeptWorld = Pick<World, 'stores' | 'router' | 'clock'>;

/** Erases payloads that the channel's present setting does not keep. `channel` null: it was deleted. */
export function eraseUnkept(world: KeptWorld, channelId: string, channel: Channel | null): Promise<void> {
  const { keptDeliveries } = world.stores;
  return eraseUpTo(world, channelId, channel, (upTo) => keptDeliveries.erase(channelId, upTo));
}

/**
 * As `eraseUnkept` for all channels, at the pace of a sweep; also erases what an owner kept before it learned of a change. Stops early when
 * the signal aborts.
 */
export async function sweepKept(world: KeptWorld, stopping?: AbortSignal): Promise<void> {
  const { keptDeliveries, channels } = world.stores;
  const channelIds = readById((after, limit) => keptDeliveries.channels(after, limit));
  for await (const channelId of channelIds) {
    if (stopping?.aborted === true) return;
    const channel = await channels.byId(channelId);
    await eraseUpTo(world, channelId, channel, (upTo) => keptDeliveries.sweep(channelId, upTo, stopping));
  }
}

async function eraseUpTo(
  { router, clock }: KeptWorld,
  channelId: string,
  channel: Channel | null,
  erase: (upTo: number) => Promise<number>,
): Promise<void> {
  const days = channel?.isActive === true ? channel.failedRetentionDays : 0;
  const erased = await erase(clock.now() - days * dayMs);
  // The owner must recount its free room.
  if (erased > 0 && days > 0) router.tell(channelId, { type: 'settings-changed' });
}
