/** Keys as their account's person sees them. */
import type { ApiKey } from '../../domain/accounts/account.ts';
import { countCharacters } from '../../domain/messages/text.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { UseCaseDeps } from '../deps.ts';
import { insertKey, makeKey } from './new-key.ts';
import { endKey, revokeKey } from './revoke-key.ts';
import type { CreatedKey } from './types.ts';

/** In code points. */
export const maxKeyName = 60;

export async function listKeys(
  deps: UseCaseDeps,
  { accountId }: Caller,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  const found = await deps.stores.keys.page(accountId, page);
  return { ...found, items: found.items.map((key) => deps.keyUses.with(key)) };
}

/** Throws 404 `not_found`, also for a revoked key. */
export async function readKey(deps: UseCaseDeps, { accountId }: Caller, keyId: string): Promise<ApiKey> {
  const key = await deps.stores.keys.inAccount(keyId, accountId);
  if (key === null) throw fault('not_found', { what: 'API key' });
  return deps.keyUses.with(key);
}

/** The key itself is answered here and never again. Throws 422 `validation`, 400 `bad_request`. */
export async function addKey(
  deps: UseCaseDeps,
  { accountId, person }: Caller,
  name: string,
): Promise<CreatedKey> {
  const length = countCharacters(name);
  if (length === 0 || length > maxKeyName) {
    throw fieldFault(['body', 'name'], `Use 1 to ${maxKeyName} characters, so that you know it again.`);
  }
  return insertKey(deps, makeKey(accountId, deps.clock.now(), { name, madeBy: person?.email ?? null }));
}

/** Throws 404 `not_found`. */
export async function removeKey(deps: UseCaseDeps, caller: Caller, keyId: string): Promise<void> {
  await readKey(deps, caller, keyId);
  await revokeKey(deps, keyId);
}

/**
 * Keys made at this time or before it by the caller's person, or by nobody knows whom: whoever knew their password may have made them.
 * [faults: 134]
 */
export async function listKeysUntil(
  deps: UseCaseDeps,
  { accountId, person }: Caller,
  until: number,
): Promise<ApiKey[]> {
  const { items } = await deps.stores.keys.page(accountId, { limit: null, cursor: null });
  return items
    .filter(({ createdAt, madeBy }) => createdAt <= until && (madeBy === null || madeBy === person?.email))
    .map((key) => deps.keyUses.with(key));
}

/** Revokes them all. */
export async function removeKeysUntil(deps: UseCaseDeps, caller: Caller, until: number): Promise<void> {
  for (const { id } of await listKeysUntil(deps, caller, until)) await endKey(deps, id);
}
