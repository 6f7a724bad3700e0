import type { UseCaseDeps } from '../deps.ts';
import { authenticate } from './authenticate.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { revokeKey } from './revoke-key.ts';
import type { AccountUseCases } from './use-cases.ts';

export function bindAccounts(deps: UseCaseDeps): AccountUseCases {
  return {
    authenticate: (apiKey) => authenticate(deps, apiKey),
    createAccount: (request) => createAccount(deps, request),
    createKey: (accountId) => createKey(deps, accountId),
    revokeKey: (keyId) => revokeKey(deps, keyId),
  };
}
