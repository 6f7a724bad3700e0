/** API keys: what the account's people and operators do with them. */
import type { Patched } from '../../storage/records.ts';
import { countCharacters } from '../../rules/messages/text.ts';
import { asError, fault, fieldFault, valueFault } from '../../kernel/faults.ts';
import { looksLikeApiKey } from '../../rules/api-key.ts';
import { newApiKey } from './account.ts';
import type { ApiKey } from './account.ts';
import { keySnapshot } from './snapshot.ts';
import { newId, hashSecret } from '../../kernel/ids.ts';
import type { Actor, Caller, KeyCaller } from '../../rules/caller.ts';
import { tidyScopes } from '../../rules/scopes.ts';
import type { Scope } from '../../rules/scopes.ts';
import { everything } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { World } from '../world.ts';

/** `apiKey` is shown once. [spec: Authentication 2] */
export interface CreatedKey {
  apiKeyId: string;
  apiKey: string;
  stored: ApiKey;
}

/** In code points. */
export const maxKeyName = 60;

/** What a key may do and until when, as whoever makes it asks; `endsAt` in ms. */
export interface KeyTerms {
  scopes?: readonly Scope[] | null;
  endsAt?: number | null;
}

export async function listKeys(
  world: World,
  { accountId }: Caller,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  const withUse = world.keyUses.reader();
  const found = await world.stores.keys.page(accountId, page);
  return { ...found, items: found.items.map(withUse) };
}

/** Throws 404 `not_found`, also for a revoked key. */
export async function readKey(world: World, { accountId }: Caller, keyId: string): Promise<ApiKey> {
  const withUse = world.keyUses.reader();
  const key = await world.stores.keys.inAccount(keyId, accountId);
  if (key === null) throw fault('not_found', { what: 'API key' });
  return withUse(key);
}

/** The key itself is returned here and never again. Throws 422 `validation`, 400 `bad_request`. */
export async function addKey(
  world: World,
  { accountId, person, by }: Caller,
  name: string,
  terms: KeyTerms,
): Promise<CreatedKey> {
  requireName(name);
  const now = world.clock.now();
  const made = { name, madeBy: person?.email ?? null, ...checkedTerms(terms, now) };
  return insertKey(world, by, makeKey(accountId, now, made));
}

function requireName(name: string): void {
  const length = countCharacters(name);
  if (length === 0 || length > maxKeyName) {
    throw fieldFault(['body', 'name'], `Use 1 to ${maxKeyName} characters, so that you know it again.`);
  }
}

function checkedTerms(
  { scopes = null, endsAt = null }: KeyTerms,
  now: number,
): Pick<ApiKey, 'scopes' | 'endsAt'> {
  if (scopes?.length === 0) throw fieldFault(['body', 'scopes'], 'Choose at least one.');
  if (endsAt !== null && endsAt <= now) throw valueFault(['body', 'expires_at'], 'the time must lie ahead');
  return { scopes: scopes === null ? null : tidyScopes(scopes), endsAt };
}

/** Throws 404 `not_found`. */
export async function removeKey(world: World, caller: Caller, keyId: string): Promise<void> {
  await readKey(world, caller, keyId);
  await revokeKey(world, caller.by, keyId);
}

/**
 * Keys created at `until` (ms) or before by the caller's person or by an unknown creator: somebody who knew the person's password may
 * have made them. [faults: 134]
 */
export async function listKeysUntil(world: World, caller: Caller, until: number): Promise<ApiKey[]> {
  const withUse = world.keyUses.reader();
  return (await keysUntil(world, caller, until)).keys.map(withUse);
}

/** With the number of all unrevoked keys of the account. */
async function keysUntil(
  { stores }: World,
  { accountId, person }: Caller,
  until: number,
): Promise<{ keys: ApiKey[]; ofAccount: number }> {
  const { items } = await stores.keys.page(accountId, everything);
  const isMeant = ({ createdAt, madeBy }: ApiKey) =>
    createdAt <= until && (madeBy === null || madeBy === person?.email);
  return { keys: items.filter(isMeant), ofAccount: items.length };
}

/** Revokes the keys of `listKeysUntil`. */
export async function removeKeysUntil(world: World, caller: Caller, until: number): Promise<void> {
  const found = await keysUntil(world, caller, until);
  let left = found.ofAccount;
  try {
    for (const { id } of found.keys) if ((await endKey(world, id)) !== null) left -= 1;
  } finally {
    const { accountId } = caller;
    const shown = (keys: number): Snapshot => ({ accountId, subject: null, shown: { keys } });
    await audit(world, caller.by, 'keys.revoked', shown(found.ofAccount), shown(left));
  }
}

/**
 * Creates one more key for the account; the key itself is returned here and never again. Throws 404 `not_found`, 400 `bad_request`, 422
 * `validation`.
 */
export async function createKey(
  world: World,
  by: Actor | undefined,
  accountId: string,
  { name = null, ...terms }: KeyTerms & { name?: string | null } = {},
): Promise<CreatedKey> {
  if (name !== null) requireName(name);
  const now = world.clock.now();
  const made = { name, madeBy: null, ...checkedTerms(terms, now) };
  const account = await world.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  return insertKey(world, by, makeKey(account.id, now, made));
}

/** Holds at once on this node and reachable ones, on others within the key cache's 5 s. Throws 404 `not_found`, also for a revoked key. */
export async function revokeKey(world: World, by: Actor | undefined, keyId: string): Promise<void> {
  const revoked = await endKey(world, keyId);
  if (revoked === null) throw fault('not_found', { what: 'API key' });
  await audit(world, by, 'key.revoked', keySnapshot(revoked.before), keySnapshot(revoked.after));
}

/** As `revokeKey`; null if the key is revoked already or never existed. */
async function endKey(world: World, keyId: string): Promise<Patched<ApiKey> | null> {
  const revoked = await world.stores.keys.revoke(keyId, world.clock.now());
  if (revoked === null) return null;
  world.keyCache.invalidate(keyId);
  world.cluster.changed({ apiKeyId: keyId });
  await forgetRedirects(world, keyId);
  return revoked;
}

/**
 * Nobody can use or remove the patterns of a revoked key: a client that makes keys, fills their lists and revokes them would fill the disk.
 * Never throws: the key is revoked. [faults: 233]
 */
async function forgetRedirects({ stores, log }: World, keyId: string): Promise<void> {
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
  made: Partial<Pick<ApiKey, 'name' | 'madeBy' | 'scopes' | 'endsAt'>> = {},
): NewKey {
  const { key, ...shown } = newApiKey();
  const stored = {
    id: newId(),
    accountId,
    ...shown,
    createdAt: now,
    revokedAt: null,
    name: null,
    lastUsedAt: null,
    lastUsedFrom: null,
    madeBy: null,
    scopes: null,
    endsAt: null,
    ...made,
  };
  return { key, stored };
}

/** Throws 400 `bad_request` if the account has `maxKeys` keys. */
async function insertKey(world: World, by: Actor | undefined, { key, stored }: NewKey): Promise<CreatedKey> {
  if (!(await world.stores.keys.insert(stored, maxKeys))) {
    throw fault('bad_request', { why: `An account can have at most ${maxKeys} API keys: revoke one first` });
  }
  await audit(world, by, 'key.created', null, keySnapshot(stored));
  return { apiKeyId: stored.id, apiKey: key, stored };
}

/**
 * null: unknown, revoked or ended, or not formed like an API key. Only the hash is compared, by an indexed look-up, so timing reveals
 * nothing about a key. [spec: Authentication 2, 3; faults: 83]
 */
export async function authenticate(
  world: World,
  apiKey: string,
  address: string | null = null,
): Promise<KeyCaller | null> {
  return looksLikeApiKey(apiKey) ? world.keyCache.byHash(hashSecret(apiKey), address) : null;
}

/** The cached caller of this key; null on a miss: ask `authenticate`. Costs a hash and no promise. */
export function knownCaller(world: World, apiKey: string): KeyCaller | null {
  return world.keyCache.known(hashSecret(apiKey));
}
