import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/** At once on this node and those that can be told, within the key cache's 5 s on any. Throws 404 `not_found`, also for a revoked key. */
export async function revokeKey(deps: UseCaseDeps, keyId: string): Promise<void> {
  if (!(await endKey(deps, keyId))) throw fault('not_found', { what: 'API key' });
}

/** As `revokeKey`; false for one that is revoked or was never made. */
export async function endKey(deps: UseCaseDeps, keyId: string): Promise<boolean> {
  const isRevoked = await deps.stores.keys.revoke(keyId, deps.clock.now());
  if (!isRevoked) return false;
  deps.keyCache.invalidate(keyId);
  deps.cluster.changed({ apiKeyId: keyId });
  return true;
}
