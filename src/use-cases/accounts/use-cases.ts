import { authenticate, knownCaller } from './authenticate.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { addKey, listKeys, readKey, removeKey, removeKeysUntil } from './own-keys.ts';
import { revokeKey } from './revoke-key.ts';

export const accountUseCases = {
  authenticate,
  knownCaller,
  createAccount,
  createKey,
  revokeKey,
  listKeys,
  readKey,
  addKey,
  removeKey,
  removeKeysUntil,
};
