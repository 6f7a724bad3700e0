import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';
import { makeKey } from './new-key.ts';
import type { CreatedKey } from './types.ts';

/** One more key for the account; the key itself is answered here and never again. Throws 404 `not_found`. */
export async function createKey(deps: UseCaseDeps, accountId: string): Promise<CreatedKey> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const { key, stored } = makeKey(account.id, deps.clock.now());
  await deps.stores.keys.insert(stored);
  return { apiKeyId: stored.id, apiKey: key };
}
