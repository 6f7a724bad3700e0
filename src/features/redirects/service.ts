import { patternProblem } from './redirect-pattern.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { Redirect } from './entity.ts';

/** The patterns of the calling key, not of its account. [spec: Authentication 5] */
export async function listRedirects(
  world: World,
  caller: Caller,
  page: PageRequest,
): Promise<Page<Redirect>> {
  return world.stores.redirects.list(caller.apiKeyId, page);
}

/** Bounded, because each setup matches its redirect_uri against all patterns. [faults: 75] */
const maxPerKey = 50;

/**
 * Adds a pattern to the key's whitelist. Adding a present pattern returns the stored one, so that a client that adds its patterns
 * at every start never fills the whitelist. Throws 400 `redirect_pattern`, `bad_request`.
 */
export async function addRedirect(world: World, caller: Caller, uriPattern: string): Promise<Redirect> {
  const why = patternProblem(uriPattern, { allowInsecure: world.settings.allowInsecure });
  if (why !== null) throw fault('redirect_pattern', { why });
  const { accountId, apiKeyId } = caller;
  const redirect = { id: newId(), accountId, apiKeyId, uriPattern, createdAt: world.clock.now() };
  const held = await world.stores.redirects.add(redirect, maxPerKey);
  if (held === null)
    throw fault('bad_request', { why: `An API key can have at most ${maxPerKey} redirect patterns` });
  await requireLiveKey(world, caller);
  if (held.id === redirect.id) await audit(world, caller.by, 'redirect.added', null, redirectSnapshot(held));
  return held;
}

/** A key that was revoked meanwhile, on another node, has its patterns removed already. [faults: 233] */
async function requireLiveKey({ stores }: World, { accountId, apiKeyId }: Caller): Promise<void> {
  if ((await stores.keys.inAccount(apiKeyId, accountId)) !== null) return;
  await stores.redirects.removeAll(apiKeyId);
  throw fault('unauthorized');
}

/** Also ends running setup flows whose redirect_uri no other pattern allows. Throws 404 `not_found`, also if removed already. */
export async function removeRedirect(world: World, caller: Caller, redirectId: string): Promise<void> {
  const removed = await world.stores.redirects.remove(redirectId, caller.apiKeyId);
  if (removed === null) throw fault('not_found', { what: 'Redirect' });
  await audit(world, caller.by, 'redirect.removed', redirectSnapshot(removed), null);
}

function redirectSnapshot({ id, accountId, apiKeyId, uriPattern }: Redirect): Snapshot {
  return { accountId, subject: id, shown: { pattern: uriPattern, api_key_id: apiKeyId } };
}
