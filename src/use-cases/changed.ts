import type { CachedWorld } from './world.ts';

/**
 * To be called after the store took a change of the channel, its licence or its webhook settings: this node forgets what it
 * remembered, and the channel's actor, wherever it lives, reads its settings again.
 */
export function announceChange(world: CachedWorld, channelId: string): void {
  world.channelCache.invalidate(channelId);
  world.router.tell(channelId, { type: 'settings-changed' });
}
