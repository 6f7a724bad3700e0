import type { Snapshot } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { accountSnapshot, keySnapshot } from '../audit/snapshots.ts';
import type { Caller } from '../../rules/caller.ts';
import type { UseCaseDeps } from '../world.ts';
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
import { listRequests } from '../requests/list-requests.ts';
import { redirectUseCases } from '../redirects/service.ts';
import { createAccount } from './create-account.ts';
import { everything } from '../../kernel/paging.ts';
import type { CreatedKey } from './keys.ts';

export const accountUseCases = {
  ...unrecorded('session', { authenticate, knownCaller }),
  ...unrecorded('reads', { listKeys, listKeysUntil, readKey, listRequests }),
  createAccount: audited(createAccount, {
    action: 'account.created',
    after: (_deps, { account }) => accountSnapshot(account),
  }),
  createKey: audited(createKey, { action: 'key.created', after: keyMade }),
  revokeKey: audited(revokeKey, { action: 'key.revoked', before: keyBefore }),
  addKey: audited(addKey, { action: 'key.created', after: keyMade }),
  removeKey: audited(removeKey, {
    action: 'key.revoked',
    before: (deps, _caller, keyId) => keyBefore(deps, keyId),
  }),
  removeKeysUntil: audited(removeKeysUntil, {
    action: 'keys.revoked',
    before: async ({ stores }, { accountId }: Caller) => {
      const { items } = await stores.keys.page(accountId, everything);
      return { accountId, subject: null, shown: { keys: items.length } };
    },
  }),
  ...redirectUseCases,
};

async function keyBefore({ stores }: UseCaseDeps, keyId: string): Promise<Snapshot | null> {
  const key = await stores.keys.byId(keyId);
  return key === null ? null : keySnapshot(key);
}

function keyMade(deps: UseCaseDeps, { apiKeyId }: CreatedKey): Promise<Snapshot | null> {
  return keyBefore(deps, apiKeyId);
}
