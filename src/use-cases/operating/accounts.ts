/** Accounts as operators see them. [operator-interface §3, Admin API] */
import type { Account } from '../../domain/accounts/account.ts';
import { emailAsStored } from '../../domain/accounts/email.ts';
import { fault } from '../../kernel/faults.ts';
import { listChannels } from '../channels/list.ts';
import type { UseCaseDeps } from '../deps.ts';
import { listSubscriptions } from '../licences/list-subscriptions.ts';
import { listPeople } from '../people/members.ts';
import { everything } from '../ports/paging.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { AccountInsight } from './types.ts';

const perPage = 100;
/** Most keys and most channels shown. */
const mostShown = { limit: 1_000, cursor: null };

export async function listAccounts(
  deps: UseCaseDeps,
  email: string | null,
  { limit, cursor }: PageRequest,
): Promise<Page<Account>> {
  if (email === null) return deps.stores.accounts.page({ limit: limit ?? perPage, cursor });
  const found = await deps.stores.accounts.byEmail(emailAsStored(email));
  return { items: found === null ? [] : [found], nextCursor: null };
}

/** The accounts with these ids, by id. */
export async function accountsOf(
  { stores }: UseCaseDeps,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, Account>> {
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  const found = await Promise.all(distinct.map((id) => stores.accounts.byId(id)));
  return new Map(found.flatMap((account) => (account === null ? [] : [[account.id, account] as const])));
}

/** Throws 404 `not_found`. */
export async function inspectAccount(deps: UseCaseDeps, accountId: string): Promise<AccountInsight> {
  const account = await deps.stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const withUse = deps.keyUses.reader();
  const [keys, subscriptions, channels, people] = await Promise.all([
    deps.stores.keys.page(accountId, mostShown),
    listSubscriptions(deps, { accountId }, everything),
    listChannels(deps, { accountId }, mostShown),
    listPeople(deps, { accountId }),
  ]);
  return {
    account,
    keys: keys.items.map(withUse),
    subscriptions: subscriptions.items,
    channels: channels.items,
    people,
  };
}

/**
 * Sends of a suspended account get 402, at once on this node and within 5 s on the others, until it is resumed. Everything else
 * continues: events are received and delivered, queued messages are sent. Throws 404 `not_found`.
 */
export async function suspendAccount(
  deps: UseCaseDeps,
  accountId: string,
  { suspended }: { suspended: boolean },
): Promise<Account> {
  const since = suspended ? deps.clock.now() : null;
  const account = await deps.stores.accounts.suspend(accountId, since);
  if (account === null) throw fault('not_found', { what: 'Account' });
  deps.suspensions.forget(accountId);
  return account;
}
