import type { Redirect } from '../../domain/accounts/account.ts';
import { checkPattern } from '../../domain/connecting/redirect-pattern.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Each setup matches its redirect_uri against all of them. [faults: 75] */
const maxPerKey = 50;

/**
 * Adds a pattern to the whitelist of the key. A whitelist is a set: adding a pattern it holds answers the one that is there,
 * so that a client that adds its patterns at every start never fills it up. Throws 400 `redirect_pattern`, `bad_request`.
 */
export async function addRedirect(deps: UseCaseDeps, caller: Caller, uriPattern: string): Promise<Redirect> {
  const why = checkPattern(uriPattern, { allowInsecure: deps.settings.allowInsecure });
  if (why !== null) throw fault('redirect_pattern', { why });
  const { accountId, apiKeyId } = caller;
  const redirect = { id: newId(), accountId, apiKeyId, uriPattern, createdAt: deps.clock.now() };
  const held = await deps.stores.redirects.add(redirect, maxPerKey);
  if (held === null)
    throw fault('bad_request', { why: `An API key can hold at most ${maxPerKey} redirect patterns` });
  return held;
}
