import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/** At once on this node and those that can be told, within the key cache's 5 s on any. Throws 404 `not_found`, also for a revoked key. */
export async function revokeKey(deps: UseCaseDeps, keyId: string): Promise<void> {
  const isRevoked = await deps.stores.keys.revoke(keyId, deps.clock.now());
  if (!isRevoked) throw fault('not_found', { what: 'API key' });
  deps.keyCache.invalidate(keyId);
  deps.cluster.changed({ apiKeyId: keyId });
}
