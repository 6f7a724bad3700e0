/** Accounts as operators see them. [operator-interface §3, Admin API] */
import type { Actor } from '../../rules/caller.ts';
import { emailAsStored } from '../../rules/email.ts';
import { fault } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { accountSnapshot } from '../accounts/index.ts';
import type { Account } from '../accounts/index.ts';
import { everything, defaultLimit } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { AccountInsight } from './types.ts';
import { listChannels } from '../channels/index.ts';
import { listSubscriptions } from '../licences/index.ts';
import { listPeople } from '../people/index.ts';

/** Most keys and most channels shown. */
const mostShown = { limit: 1_000, cursor: null };

export async function listAccounts(
  world: World,
  email: string | null,
  { limit, cursor }: PageRequest,
): Promise<Page<Account>> {
  if (email === null) return world.stores.accounts.page({ limit: limit ?? defaultLimit, cursor });
  const found = await world.stores.accounts.byEmail(emailAsStored(email));
  return { items: found === null ? [] : [found], nextCursor: null };
}

/** The accounts with these ids, by id. */
export async function accountsOf(
  { stores }: World,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, Account>> {
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  const found = await Promise.all(distinct.map((id) => stores.accounts.byId(id)));
  return new Map(found.flatMap((account) => (account === null ? [] : [[account.id, account] as const])));
}

/** Throws 404 `not_found`. */
export async function findAccount({ stores }: Pick<World, 'stores'>, accountId: string): Promise<Account> {
  const account = await stores.accounts.byId(accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  return account;
}

/** All of its licences. Throws 404 `not_found`. */
export async function inspectAccount(world: World, accountId: string): Promise<AccountInsight> {
  const account = await findAccount(world, accountId);
  const withUse = world.keyUses.reader();
  const [keys, subscriptions, channels, people] = await Promise.all([
    world.stores.keys.page(accountId, mostShown),
    listSubscriptions(world, { accountId }, everything),
    listChannels(world, { accountId }, mostShown),
    listPeople(world, { accountId }),
  ]);
  return {
    account,
    keys: keys.items.map(withUse),
    subscriptions: subscriptions.items,
    channels: channels.items,
    people,
    channelsTotal: await world.stores.channels.countOf(accountId),
  };
}

/**
 * Sends of a suspended account get 402, at once on this node and within 5 s on the others, until it is resumed. Everything else
 * continues: events are received and delivered, queued messages are sent. Throws 404 `not_found`.
 */
export async function suspendAccount(
  world: World,
  by: Actor | undefined,
  accountId: string,
  { suspended, reason = null }: { suspended: boolean; reason?: string | null },
): Promise<Account> {
  const since = suspended ? world.clock.now() : null;
  const changed = await world.stores.accounts.suspend(accountId, since, reason);
  if (changed === null) throw fault('not_found', { what: 'Account' });
  world.suspensions.forget(accountId);
  const { before, after } = changed;
  await audit(world, by, 'account.suspended-or-resumed', accountSnapshot(before), accountSnapshot(after));
  return after;
}

/** For the other operators; null: none. `seen`: what it must still be. Throws 404 `not_found`, 409 `conflict`. The log of changes does not show it: the account's people read that. */
export async function noteAccount(
  world: World,
  by: Actor | undefined,
  accountId: string,
  note: string | null,
  seen: Partial<Pick<Account, 'note'>> = {},
): Promise<void> {
  if (!(await world.stores.accounts.note(accountId, note, seen))) {
    const standing = await findAccount(world, accountId);
    if (standing.note === note) return; // posted twice
    throw fault('conflict', { why: 'The note was changed since you opened this page. Nothing was saved' });
  }
  await audit(world, by, 'account.noted', null, { accountId: null, subject: accountId, shown: null });
}
