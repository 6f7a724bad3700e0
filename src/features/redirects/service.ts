import type { Redirect } from '../accounts/account.ts';
import { patternProblem } from './redirect-pattern.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Snapshot } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { redirectSnapshot } from '../audit/snapshots.ts';
import type { Caller } from '../../rules/caller.ts';
import type { UseCaseDeps } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';

export const redirectUseCases = {
  ...unrecorded('reads', { listRedirects }),
  addRedirect: audited(addRedirect, {
    action: 'redirect.added',
    before: (deps, { apiKeyId }, uriPattern) =>
      findRedirect(deps, apiKeyId, (one) => one.uriPattern === uriPattern),
    after: (_deps, redirect) => redirectSnapshot(redirect),
  }),
  removeRedirect: audited(removeRedirect, {
    action: 'redirect.removed',
    before: (deps, { apiKeyId }, id) => findRedirect(deps, apiKeyId, (one) => one.id === id),
  }),
};

async function findRedirect(
  { stores }: UseCaseDeps,
  apiKeyId: string,
  isMeant: (redirect: Redirect) => boolean,
): Promise<Snapshot | null> {
  const { items } = await stores.redirects.list(apiKeyId, everything);
  const redirect = items.find(isMeant);
  return redirect === undefined ? null : redirectSnapshot(redirect);
}

/** The patterns of the calling key, not of its account. [spec: Authentication 5] */
async function listRedirects(deps: UseCaseDeps, caller: Caller, page: PageRequest): Promise<Page<Redirect>> {
  return deps.stores.redirects.list(caller.apiKeyId, page);
}

/** Bounded, because each setup matches its redirect_uri against all patterns. [faults: 75] */
const maxPerKey = 50;

/**
 * Adds a pattern to the key's whitelist. Adding a present pattern returns the stored one, so that a client that adds its patterns
 * at every start never fills the whitelist. Throws 400 `redirect_pattern`, `bad_request`.
 */
async function addRedirect(deps: UseCaseDeps, caller: Caller, uriPattern: string): Promise<Redirect> {
  const why = patternProblem(uriPattern, { allowInsecure: deps.settings.allowInsecure });
  if (why !== null) throw fault('redirect_pattern', { why });
  const { accountId, apiKeyId } = caller;
  const redirect = { id: newId(), accountId, apiKeyId, uriPattern, createdAt: deps.clock.now() };
  const held = await deps.stores.redirects.add(redirect, maxPerKey);
  if (held === null)
    throw fault('bad_request', { why: `An API key can have at most ${maxPerKey} redirect patterns` });
  await requireLiveKey(deps, caller);
  return held;
}

/** A key that was revoked meanwhile, on another node, has its patterns removed already. [faults: 233] */
async function requireLiveKey({ stores }: UseCaseDeps, { accountId, apiKeyId }: Caller): Promise<void> {
  if ((await stores.keys.inAccount(apiKeyId, accountId)) !== null) return;
  await stores.redirects.removeAll(apiKeyId);
  throw fault('unauthorized');
}

/** Also ends running setup flows whose redirect_uri no other pattern allows. Throws 404 `not_found`, also if removed already. */
async function removeRedirect(deps: UseCaseDeps, caller: Caller, redirectId: string): Promise<void> {
  const isRemoved = await deps.stores.redirects.remove(redirectId, caller.apiKeyId);
  if (!isRemoved) throw fault('not_found', { what: 'Redirect' });
}
