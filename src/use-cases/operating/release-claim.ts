import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../changed.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { CachedWorld } from '../world.ts';

/**
 * Gives the upstream identity of an inactive channel free for any account. [spec: Channel activity: requires support]
 * Throws 404 `not_found`, 409 `conflict` while the channel is active.
 */
export async function releaseClaim(world: CachedWorld, channelId: string): Promise<void> {
  const isReleased = await world.stores.channels.releaseClaim(channelId);
  if (!isReleased) throw await whyNot(world, channelId);
  await announceChange(world, channelId);
}

async function whyNot(world: CachedWorld, channelId: string): Promise<Error> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) return noSuchChannel();
  return fault('conflict', { why: 'The channel is active; deactivate it before its claim is released' });
}
