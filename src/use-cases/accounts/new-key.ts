import type { ApiKey } from '../../domain/accounts/account.ts';
import { newApiKey } from '../../domain/accounts/api-key.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { CreatedKey } from './types.ts';

/** Each has limits of its own. [faults: 111] */
const maxKeys = 50;

interface NewKey {
  key: string;
  stored: ApiKey;
}

/** `key` is shown once, `stored` is what is kept. [spec: Authentication 2] */
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

/** Throws 400 `bad_request` when the account has as many as it may. */
export async function insertKey(deps: UseCaseDeps, { key, stored }: NewKey): Promise<CreatedKey> {
  if (!(await deps.stores.keys.insert(stored, maxKeys))) {
    throw fault('bad_request', { why: `An account can hold at most ${maxKeys} API keys: revoke one first` });
  }
  return { apiKeyId: stored.id, apiKey: key };
}
