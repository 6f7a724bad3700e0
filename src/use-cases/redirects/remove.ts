import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Setup flows that have begun keep their redirect_uri. Throws 404 `not_found`, also for one that is removed already. */
export async function removeRedirect(deps: UseCaseDeps, caller: Caller, redirectId: string): Promise<void> {
  const isRemoved = await deps.stores.redirects.remove(redirectId, caller.apiKeyId);
  if (!isRemoved) throw fault('not_found', { what: 'Redirect' });
}
