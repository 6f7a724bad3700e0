import { fault } from '../../kernel/faults.ts';
import type { CachedWorld } from '../world.ts';

/** At once on this node and those that can be told, within the key cache's 5 s on any. Throws 404 `not_found`, also for a revoked key. */
export async function revokeKey(world: CachedWorld, keyId: string): Promise<void> {
  const isRevoked = await world.stores.keys.revoke(keyId, world.clock.now());
  if (!isRevoked) throw fault('not_found', { what: 'API key' });
  world.keyCache.invalidate(keyId);
  world.cluster.changed?.({ apiKeyId: keyId });
}
