import { looksLikeApiKey } from '../../domain/accounts/api-key.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';

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
