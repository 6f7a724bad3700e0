/** API keys: use-cases of the account's people and of operators. */
import type { ApiKey } from './account.ts';
import { countCharacters } from '../../rules/messages/text.ts';
import { asError, fault, fieldFault } from '../../kernel/faults.ts';
import { newApiKey, looksLikeApiKey } from './account.ts';
import { keySnapshot } from './snapshot.ts';
import { newId, hashSecret } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import { everything } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import type { Patched } from '../../storage/records.ts';

/** `apiKey` is shown once. [spec: Authentication 2] */
export interface CreatedKey {
  apiKeyId: string;
  apiKey: string;
}

/** In code points. */
export const maxKeyName = 60;

export async function listKeys(
  deps: UseCaseDeps,
  { accountId }: Caller,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  const withUse = deps.keyUses.reader();
  const found = await deps.stores.keys.page(accountId, page);
  return { ...found, items: found.items.map(withUse) };
}

/** Throws 404 `not_found`, also for a revoked key. */
export async function readKey(deps: UseCaseDeps, { accountId }: Caller, keyId: string): Promise<ApiKey> {
  const withUse = deps.keyUses.reader();
  const key = await deps.stores.keys.inAccount(keyId, accountId);
  if (key === null) throw fault('not_found', { what: 'API key' });
  return withUse(key);
}

/** The key itself is returned here and never again. Throws 422 `validation`, 400 `bad_request`. */
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
 * Keys created at `until` (ms) or before by the caller's person or by an unknown creator: somebody who knew the person's password may
 * have made them. [faults: 134]
 */
export async function listKeysUntil(deps: UseCaseDeps, caller: Caller, until: number): Promise<ApiKey[]> {
  const withUse = deps.keyUses.reader();
  return (await keysUntil(deps, caller, until)).keys.map(withUse);
}

/** With the number of all unrevoked keys of the account. */
async function keysUntil(
  { stores }: UseCaseDeps,
  { accountId, person }: Caller,
  until: number,
): Promise<{ keys: ApiKey[]; ofAccount: number }> {
  const { items } = await stores.keys.page(accountId, everything);
  const isMeant = ({ createdAt, madeBy }: ApiKey) =>
    createdAt <= until && (madeBy === null || madeBy === person?.email);
  return { keys: items.filter(isMeant), ofAccount: items.length };
}

/** Revokes the keys of `listKeysUntil`. */
export async function removeKeysUntil(deps: UseCaseDeps, caller: Caller, until: number): Promise<void> {
  const found = await keysUntil(deps, caller, until);
  let left = found.ofAccount;
  try {
    for (const { id } of found.keys) if ((await endKey(deps, id)) !== null) left -= 1;
  } finally {
    const { accountId } = caller;
    const shown = (keys: number): Snapshot => ({ accountId, subject: null, shown: { keys } });
    await audit(deps, 'keys.revoked', shown(found.ofAccount), shown(left));
  }
}

/** Creates one more key for the account; the key itself is returned here and never again. Throws 404 `not_found`, 400 `bad_request`. */
export async function createKey(deps: UseCaseDeps, accountId: string): Promise<CreatedKey> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  return insertKey(deps, makeKey(account.id, deps.clock.now()));
}

/** Holds at once on this node and reachable ones, on others within the key cache's 5 s. Throws 404 `not_found`, also for a revoked key. */
export async function revokeKey(deps: UseCaseDeps, keyId: string): Promise<void> {
  const revoked = await endKey(deps, keyId);
  if (revoked === null) throw fault('not_found', { what: 'API key' });
  await audit(deps, 'key.revoked', keySnapshot(revoked.before), keySnapshot(revoked.after));
}

/** As `revokeKey`; null if the key is revoked already or never existed. */
async function endKey(deps: UseCaseDeps, keyId: string): Promise<Patched<ApiKey> | null> {
  const revoked = await deps.stores.keys.revoke(keyId, deps.clock.now());
  if (revoked === null) return null;
  deps.keyCache.invalidate(keyId);
  deps.cluster.changed({ apiKeyId: keyId });
  await forgetRedirects(deps, keyId);
  return revoked;
}

/**
 * Nobody can use or remove the patterns of a revoked key: a client that makes keys, fills their lists and revokes them would fill the disk.
 * Never throws: the key is revoked. [faults: 233]
 */
async function forgetRedirects({ stores, log }: UseCaseDeps, keyId: string): Promise<void> {
  try {
    await stores.redirects.removeAll(keyId);
  } catch (thrown) {
    log.warn({ key: keyId, error: asError(thrown) }, 'key.redirects-not-removed');
  }
}

/** Bounded, because each key has rate limits of its own. [faults: 111] */
const maxKeys = 50;

interface NewKey {
  key: string;
  stored: ApiKey;
}

/** `key` is shown once; only `stored` is kept. [spec: Authentication 2] */
export function makeKey(
  accountId: string,
  now: number,
  { name, madeBy }: Pick<ApiKey, 'name' | 'madeBy'> = { name: null, madeBy: null },
): NewKey {
  const { key, ...shown } = newApiKey();
  const stored = {
    id: newId(),
    accountId,
    ...shown,
    createdAt: now,
    revokedAt: null,
    name,
    lastUsedAt: null,
    madeBy,
  };
  return { key, stored };
}

/** Throws 400 `bad_request` if the account has `maxKeys` keys. */
async function insertKey(deps: UseCaseDeps, { key, stored }: NewKey): Promise<CreatedKey> {
  if (!(await deps.stores.keys.insert(stored, maxKeys))) {
    throw fault('bad_request', { why: `An account can have at most ${maxKeys} API keys: revoke one first` });
  }
  await audit(deps, 'key.created', null, keySnapshot(stored));
  return { apiKeyId: stored.id, apiKey: key };
}

/**
 * null: unknown or revoked, or not formed like an API key. Only the hash is compared, by an indexed look-up, so timing reveals
 * nothing about a key. [spec: Authentication 2, 3; faults: 83]
 */
export async function authenticate(deps: UseCaseDeps, apiKey: string): Promise<Caller | null> {
  return looksLikeApiKey(apiKey) ? deps.keyCache.byHash(hashSecret(apiKey)) : null;
}

/** The cached caller of this key; null on a miss: ask `authenticate`. Costs a hash and no promise. */
export function knownCaller(deps: UseCaseDeps, apiKey: string): Caller | null {
  return deps.keyCache.known(hashSecret(apiKey));
}
