import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';
import { insertKey, makeKey } from './new-key.ts';
import type { CreatedKey } from './types.ts';

/** One more key for the account; the key itself is answered here and never again. Throws 404 `not_found`, 400 `bad_request`. */
export async function createKey(deps: UseCaseDeps, accountId: string): Promise<CreatedKey> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  return insertKey(deps, makeKey(account.id, deps.clock.now()));
}
