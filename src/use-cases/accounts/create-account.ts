import type { Account } from '../../domain/accounts/account.ts';
import { trial } from '../../domain/licences/trial.ts';
import type { Tier } from '../../domain/licences/subscription.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { makeKey } from './new-key.ts';

export interface AccountRequest {
  email: string;
  name: string | null;
  tier: Tier | null;
}

export interface CreatedAccount {
  account: Account;
  apiKeyId: string;
  apiKey: string;
  subscriptionId: string;
}

/** [RFC 5321 §4.5.3.1.3] */
const maxEmail = 254;

/**
 * An account with its first key and its trial, in one step. Throws 422 `validation` for an e-mail without the shape of one,
 * 409 `conflict` when it is taken. [operator-interface §3, §4 trial]
 */
export async function createAccount(deps: UseCaseDeps, request: AccountRequest): Promise<CreatedAccount> {
  const now = deps.clock.now();
  const account = { id: newId(), email: checkedEmail(request.email), name: request.name, createdAt: now };
  const { key, stored } = makeKey(account.id, now);
  const licence = trial({
    id: newId(),
    accountId: account.id,
    tier: request.tier ?? deps.settings.trialTier,
    days: deps.settings.trialDays,
    now,
  });
  const isCreated = await deps.stores.accounts.create(account, stored, licence);
  if (!isCreated) throw fault('conflict', { why: 'An account with this e-mail exists already' });
  return { account, apiKeyId: stored.id, apiKey: key, subscriptionId: licence.id };
}

/** One account per person, however they spell the address: stored in lower case. Only a mail can prove more. */
function checkedEmail(raw: string): string {
  const email = raw.trim().toLowerCase();
  const hasShape = email.length <= maxEmail && /^[^\s@]+@[^\s@]+$/.test(email);
  if (!hasShape) throw fieldFault(['body', 'email'], 'Value error, email must be an e-mail address');
  return email;
}
