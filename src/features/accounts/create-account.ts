import type { Actor } from '../../rules/caller.ts';
import type { Account, ApiKey } from './account.ts';
import { unconfirmedEmail } from '../../rules/email.ts';
import type { Tier } from '../../rules/licences/subscription.ts';
import { trial } from '../../rules/licences/subscription.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { checkedEmail } from './checked-email.ts';
import { makeKey } from './keys.ts';
import type { CreatedKey } from './keys.ts';
import { accountSnapshot } from './snapshot.ts';

interface AccountRequest {
  email: string;
  name: string | null;
  tier: Tier | null;
}

interface CreatedAccount extends CreatedKey {
  account: Account;
  subscriptionId: string;
}

type OpenedAccount = Omit<CreatedAccount, keyof CreatedKey>;

/**
 * Creates an account with its first key and its trial, atomically. Throws 422 `validation` if `email` is no e-mail address,
 * 409 `conflict` if it is taken. [operator-interface §3, §4 trial]
 */
export async function createAccount(
  world: World,
  by: Actor | undefined,
  request: AccountRequest,
): Promise<CreatedAccount> {
  const accountId = newId();
  const { key, stored } = makeKey(accountId, world.clock.now());
  const email = checkedEmail(request.email);
  const opened = await openAccount(world, accountId, { ...request, email }, stored);
  await audit(world, by, 'account.created', null, accountSnapshot(opened.account));
  return { ...opened, apiKeyId: stored.id, apiKey: key, stored };
}

/** As `createAccount`, without a key, which the person creates at the portal, and without an entry in the audit log. An unconfirmed address is stored so that it claims nothing. */
export function createKeylessAccount(
  world: World,
  { email, name }: { email: string; name: string | null },
  { isConfirmed }: { isConfirmed: boolean },
): Promise<OpenedAccount> {
  const id = newId();
  const checked = checkedEmail(email);
  const stored = isConfirmed ? checked : unconfirmedEmail(checked, id);
  return openAccount(world, id, { email: stored, name, tier: null }, null);
}

async function openAccount(
  world: World,
  id: string,
  { email, name, tier }: AccountRequest,
  key: ApiKey | null,
): Promise<OpenedAccount> {
  const now = world.clock.now();
  const account = { id, email, name, suspendedAt: null, suspendedWhy: null, note: null, createdAt: now };
  const { trialTier, trialDays: days } = world.settings;
  const licence = trial({ id: newId(), accountId: id, tier: tier ?? trialTier, days, now });
  const { accounts, people } = world.stores;
  // The store's unique index compares one spelling only.
  const holder = (await people.byEmail(email)) ?? (await accounts.byEmail(email));
  if (holder !== null || !(await accounts.create(account, key, licence))) {
    throw fault('conflict', { why: 'An account with this e-mail address already exists' });
  }
  return { account, subscriptionId: licence.id };
}
