import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../index.ts';
import type { CachedWorld } from '../world.ts';

/** Setup flows that have begun keep their redirect_uri. Throws 404 `not_found`, also for one that is removed already. */
export async function removeRedirect(world: CachedWorld, caller: Caller, redirectId: string): Promise<void> {
  const isRemoved = await world.stores.redirects.remove(redirectId, caller.apiKeyId);
  if (!isRemoved) throw fault('not_found', { what: 'Redirect' });
}
