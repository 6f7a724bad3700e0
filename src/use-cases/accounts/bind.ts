import type { UseCaseDeps } from '../deps.ts';
import { authenticate, knownCaller } from './authenticate.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { addKey, listKeys, readKey, removeKey } from './own-keys.ts';
import { revokeKey } from './revoke-key.ts';
import type { AccountUseCases } from './use-cases.ts';

export function bindAccounts(deps: UseCaseDeps): AccountUseCases {
  return {
    authenticate: (apiKey) => authenticate(deps, apiKey),
    knownCaller: (apiKey) => knownCaller(deps, apiKey),
    createAccount: (request) => createAccount(deps, request),
    createKey: (accountId) => createKey(deps, accountId),
    revokeKey: (keyId) => revokeKey(deps, keyId),
    listKeys: (caller, page) => listKeys(deps, caller, page),
    readKey: (caller, keyId) => readKey(deps, caller, keyId),
    addKey: (caller, name) => addKey(deps, caller, name),
    removeKey: (caller, keyId) => removeKey(deps, caller, keyId),
  };
}
