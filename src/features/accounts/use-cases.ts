import { listRequests } from '../requests/list-requests.ts';
import { addRedirect, listRedirects, removeRedirect } from '../redirects/service.ts';
import { createAccount } from './create-account.ts';
import {
  authenticate,
  knownCaller,
  createKey,
  addKey,
  listKeys,
  listKeysUntil,
  readKey,
  removeKey,
  removeKeysUntil,
  revokeKey,
} from './keys.ts';

export const accountUseCases = {
  authenticate,
  knownCaller,
  listKeys,
  listKeysUntil,
  readKey,
  listRequests,
  createAccount,
  createKey,
  revokeKey,
  addKey,
  removeKey,
  removeKeysUntil,
  listRedirects,
  addRedirect,
  removeRedirect,
};
