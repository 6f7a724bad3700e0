import type { Redirect } from '../accounts/account.ts';
import { patternProblem } from './redirect-pattern.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { Caller } from '../../rules/caller.ts';
import type { UseCaseDeps } from '../world.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';

/** The patterns of the calling key, not of its account. [spec: Authentication 5] */
export async function listRedirects(
  deps: UseCaseDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<Redirect>> {
  return deps.stores.redirects.list(caller.apiKeyId, page);
}

/** Bounded, because each setup matches its redirect_uri against all patterns. [faults: 75] */
const maxPerKey = 50;

/**
 * Adds a pattern to the key's whitelist. Adding a present pattern returns the stored one, so that a client that adds its patterns
 * at every start never fills the whitelist. Throws 400 `redirect_pattern`, `bad_request`.
 */
export async function addRedirect(deps: UseCaseDeps, caller: Caller, uriPattern: string): Promise<Redirect> {
  const why = patternProblem(uriPattern, { allowInsecure: deps.settings.allowInsecure });
  if (why !== null) throw fault('redirect_pattern', { why });
  const { accountId, apiKeyId } = caller;
  const redirect = { id: newId(), accountId, apiKeyId, uriPattern, createdAt: deps.clock.now() };
  const held = await deps.stores.redirects.add(redirect, maxPerKey);
  if (held === null)
    throw fault('bad_request', { why: `An API key can have at most ${maxPerKey} redirect patterns` });
  await requireLiveKey(deps, caller);
  if (held.id === redirect.id) await audit(deps, 'redirect.added', null, redirectSnapshot(held));
  return held;
}

/** A key that was revoked meanwhile, on another node, has its patterns removed already. [faults: 233] */
async function requireLiveKey({ stores }: UseCaseDeps, { accountId, apiKeyId }: Caller): Promise<void> {
  if ((await stores.keys.inAccount(apiKeyId, accountId)) !== null) return;
  await stores.redirects.removeAll(apiKeyId);
  throw fault('unauthorized');
}

/** Also ends running setup flows whose redirect_uri no other pattern allows. Throws 404 `not_found`, also if removed already. */
export async function removeRedirect(deps: UseCaseDeps, caller: Caller, redirectId: string): Promise<void> {
  const removed = await deps.stores.redirects.remove(redirectId, caller.apiKeyId);
  if (removed === null) throw fault('not_found', { what: 'Redirect' });
  await audit(deps, 'redirect.removed', redirectSnapshot(removed), null);
}

function redirectSnapshot({ id, accountId, apiKeyId, uriPattern }: Redirect): Snapshot {
  return { accountId, subject: id, shown: { pattern: uriPattern, api_key_id: apiKeyId } };
}
