/** Accounts and their API keys. */
import type { Caller } from '../caller.ts';
import type { Tier } from '../../domain/licences/subscription.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';

export interface AccountRequest {
  email: string;
  name: string | null;
  tier: Tier | null;
}

/** `apiKey` is shown once. [spec: Authentication 2] */
export interface CreatedKey {
  apiKeyId: string;
  apiKey: string;
}

export interface CreatedAccount extends CreatedKey {
  account: Account;
  subscriptionId: string;
}

export interface AccountUseCases {
  /** null: unknown or revoked. The key is compared by hash, cached for a few seconds. */
  authenticate(apiKey: string): Promise<Caller | null>;
  /** The same at once, for a key that was right a moment ago; null: nothing is known of it now. */
  knownCaller(apiKey: string): Caller | null;
  createAccount(request: AccountRequest): Promise<CreatedAccount>;
  createKey(accountId: string): Promise<CreatedKey>;
  revokeKey(keyId: string): Promise<void>;
  /** Those not revoked, newest first. */
  listKeys(caller: Caller, page: PageRequest): Promise<Page<ApiKey>>;
  readKey(caller: Caller, keyId: string): Promise<ApiKey>;
  addKey(caller: Caller, name: string): Promise<CreatedKey>;
  removeKey(caller: Caller, keyId: string): Promise<void>;
}
