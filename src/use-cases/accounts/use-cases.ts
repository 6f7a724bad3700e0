/** Accounts and their API keys. */
import type { Caller } from '../caller.ts';
import type { Tier } from '../../domain/licences/subscription.ts';
import type { Account } from '../../domain/accounts/account.ts';

export interface AccountUseCases {
  /** null: unknown or revoked. The key is compared by hash, cached for a few seconds. */
  authenticate(apiKey: string): Promise<Caller | null>;
  createAccount(request: {
    email: string;
    name: string | null;
    tier: Tier | null;
  }): Promise<{ account: Account; apiKeyId: string; apiKey: string; subscriptionId: string }>;
  createKey(accountId: string): Promise<{ apiKeyId: string; apiKey: string }>;
  revokeKey(keyId: string): Promise<void>;
}
