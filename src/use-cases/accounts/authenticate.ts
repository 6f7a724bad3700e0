import { looksLikeApiKey } from '../../domain/accounts/api-key.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';

/**
 * null: unknown, revoked or no key of ours at all. Only the hash is compared, by an indexed look-up, so time tells nothing
 * about a key. [spec: Authentication 2, 3; faults: 83]
 */
export async function authenticate(deps: UseCaseDeps, apiKey: string): Promise<Caller | null> {
  return looksLikeApiKey(apiKey) ? deps.keyCache.byHash(hashSecret(apiKey)) : null;
}

/** Whose key it is, where that was asked for a moment ago; null: `authenticate` knows. Costs a hash and no promise. */
export function knownCaller(deps: UseCaseDeps, apiKey: string): Caller | null {
  return deps.keyCache.known(hashSecret(apiKey));
}
