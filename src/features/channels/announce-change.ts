import { asError } from '../../kernel/faults.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { World } from '../world.ts';

/**
 * Call it after the store took a change of the channel, its licence or its webhook settings: every node evicts its cached
 * copy, and the channel's actor, on whatever node, reloads its settings. Resolves when the actor has reloaded, so that
 * everything after the client's answer happens under the new settings. Never throws: the change is durable, and an owner that
 * is out of reach reads it at its next activation.
 */
export async function announceChange(
  world: Pick<World, 'channelCache' | 'cluster' | 'router' | 'log'>,
  channelId: string,
): Promise<void> {
  world.channelCache.invalidate(channelId);
  world.cluster.changed({ channelId });
  try {
    await world.router.ask(channelId, { type: 'reload' });
  } catch (thrown) {
    world.log.warn({ channel: channelId, error: asError(thrown) }, 'channel.reload-not-confirmed');
    world.router.tell(channelId, { type: 'settings-changed' });
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
