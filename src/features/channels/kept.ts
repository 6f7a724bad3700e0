/** Erases kept payloads of given-up deliveries after the channel's days, or once the channel keeps none. [operator-interface §4] */
import type { Channel } from '../../rules/channels/channel.ts';
import { ownerOf, readOwner } from '../../rules/webhooks/endpoints.ts';
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

/** Erases payloads that the channel's present setting does not keep, of its endpoints too. */
export async function eraseUnkept(world: KeptWorld, channel: Channel): Promise<void> {
  const { id, hasEndpoints } = channel;
  const endpoints = hasEndpoints ? await world.stores.endpoints.ofChannel(id) : [];
  for (const ownerId of [id, ...endpoints.map((endpoint) => ownerOf(id, endpoint.id))])
    await eraseKeptOf(world, ownerId, channel);
}

/** Of the channel, or of an endpoint of it. `channel` null: whatever is kept. */
export function eraseKeptOf(world: KeptWorld, ownerId: string, channel: Channel | null): Promise<void> {
  const { keptDeliveries } = world.stores;
  return eraseUpTo(world, ownerId, channel, (upTo) => keptDeliveries.erase(ownerId, upTo));
}

/**
 * As `eraseUnkept` for all channels, at the pace of a sweep; also erases what an owner kept before it learned of a change. Stops early when
 * the signal aborts.
 */
export async function sweepKept(world: KeptWorld, stopping?: AbortSignal): Promise<void> {
  const { keptDeliveries } = world.stores;
  const ownerIds = readById((after, limit) => keptDeliveries.channels(after, limit));
  for await (const ownerId of ownerIds) {
    if (stopping?.aborted === true) return;
    const channel = await keeperOf(world, ownerId);
    await eraseUpTo(world, ownerId, channel, (upTo) => keptDeliveries.sweep(ownerId, upTo, stopping));
  }
}

/** The channel whose days count; null: it was deleted, or the endpoint was. */
async function keeperOf({ stores }: KeptWorld, ownerId: string): Promise<Channel | null> {
  const { channelId, endpointId } = readOwner(ownerId);
  const isGone = endpointId !== null && (await stores.endpoints.ofOwner(endpointId, channelId)) === null;
  return isGone ? null : stores.channels.byId(channelId);
}

async function eraseUpTo(
  { router, clock }: KeptWorld,
  ownerId: string,
  channel: Channel | null,
  erase: (upTo: number) => Promise<number>,
): Promise<void> {
  const days = channel?.isActive === true ? channel.failedRetentionDays : 0;
  const erased = await erase(clock.now() - days * dayMs);
  // The owner must recount its free room.
  if (erased > 0 && days > 0) router.tell(ownerId, { type: 'settings-changed' });
}
