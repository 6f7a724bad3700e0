import { asError } from '../../kernel/faults.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { World } from '../world.ts';

/** Longer than a request needs from here to `announceChange`. */
const announcedWithinMs = 30_000;

/**
 * Call it before the store takes a change: should this node die before it has announced the change, or an owner be out of reach, another turn
 * announces it. Throws StoreUnavailable.
 */
export async function intendChange(
  { stores, clock }: Pick<World, 'stores' | 'clock'>,
  ...ownerIds: readonly string[]
): Promise<void> {
  const now = clock.now();
  const reloads = ownerIds.map((subject) => ({ kind: 'reload', subject }) as const);
  await stores.followUps.intend(reloads, { dueAt: now + announcedWithinMs, since: now });
}

/**
 * Call it after the store took a change of the channel, its licence or its webhook settings: every node evicts its cached
 * copy, and the channel's actor, on whatever node, reloads its settings. Resolves when the actor has reloaded, so that
 * everything after the client's answer happens under the new settings. Never throws: the change is durable. False: an owner is
 * out of reach; what was intended tells it later.
 */
export async function announceChange(
  world: Pick<World, 'channelCache' | 'cluster' | 'router' | 'log'>,
  channelId: string,
): Promise<boolean> {
  world.channelCache.invalidate(channelId);
  world.cluster.changed({ channelId });
  try {
    await world.router.ask(channelId, { type: 'reload' });
    return true;
  } catch (thrown) {
    world.log.warn({ channel: channelId, error: asError(thrown) }, 'channel.reload-not-confirmed');
    world.router.tell(channelId, { type: 'settings-changed' });
    return false;
  }
}

/** The owners of its endpoints deliver under the channel's settings, too. */
export async function announceToEndpoints(
  world: Parameters<typeof announceChange>[0] & Pick<World, 'stores'>,
  { id, hasEndpoints }: Pick<Channel, 'id' | 'hasEndpoints'>,
): Promise<void> {
  if (!hasEndpoints) return;
  const endpoints = await world.stores.endpoints.ofChannel(id);
  await Promise.all(endpoints.map((endpoint) => announceChange(world, ownerOf(id, endpoint.id))));
}
