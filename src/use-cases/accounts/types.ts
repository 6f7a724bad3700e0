/** Accounts and their API keys. */
import type { Tier } from '../../domain/licences/subscription.ts';
import type { Account } from '../../domain/accounts/account.ts';

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
