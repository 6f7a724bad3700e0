/** Accounts as operators see them. [operator-interface §3, Admin API] */
import type { Actor } from '../../rules/caller.ts';
import { emailAsStored } from '../../rules/email.ts';
import { hourMs, dayMs } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { accountSnapshot, searchPrefixes } from '../accounts/index.ts';
import type { Account } from '../accounts/index.ts';
import { everything, defaultLimit } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { AccountInsight, GivenUpLately } from './types.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { listChannels } from '../channels/index.ts';
import { addCounts, findHour, noCounts } from '../deliveries/index.ts';
import type { DeliveryCounts } from '../deliveries/index.ts';
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

/** For the other operators; null: none. Throws 404 `not_found`. The log of changes does not show it: the account's people read that. */
export async function noteAccount(
  world: World,
  by: Actor | undefined,
  accountId: string,
  note: string | null,
): Promise<void> {
  if (!(await world.stores.accounts.note(accountId, note))) throw fault('not_found', { what: 'Account' });
  await audit(world, by, 'account.noted', null, { accountId: null, subject: accountId, shown: null });
}

/** Index entries examined per prefix. */
const mostLookedAt = 1_000;
const mostFound = 50;

/** `isCut`: more accounts may match; a longer text narrows the search. */
interface FoundAccounts {
  items: Account[];
  isCut: boolean;
}

/**
 * Finds accounts by exact e-mail address, id of an account, channel or sent message, or upstream identity; otherwise by prefixes of words of a name or an
 * address, or of a present or past phone number or handle. Newest first.
 */
export async function findAccounts(world: World, text: string): Promise<FoundAccounts> {
  const exact = await findExact(world, text);
  if (exact !== null) return { items: [exact], isCut: false };
  for (const words of searchPrefixes(text)) {
    const found = await findByWords(world, words);
    if (found.items.length > 0) return found;
  }
  return { items: [], isCut: false };
}

async function findExact({ stores }: World, text: string): Promise<Account | null> {
  const { accounts, channels } = stores;
  const account = (await accounts.byId(text)) ?? (await accounts.byEmail(emailAsStored(text)));
  if (account !== null) return account;
  const person = await stores.people.byEmail(emailAsStored(text));
  if (person !== null) return accounts.byId(person.accountId);
  const channel = await channels.byId(text);
  if (channel !== null) return accounts.byId(channel.accountId);
  const message = await stores.messageLog.byId(text);
  if (message !== null) return accounts.byId(message.accountId);
  for (const channelType of channelTypes) {
    const [holder] = await channels.byIdentity(channelType, [text]);
    if (holder !== undefined) return accounts.byId(holder.accountId);
  }
  return null;
}

async function findByWords({ stores }: World, words: readonly string[]): Promise<FoundAccounts> {
  const lists = await Promise.all(words.map((word) => stores.accountWords.beginning(word, mostLookedAt)));
  const [first = new Set<string>(), ...others] = lists
    .map((list) => new Set(list.map(({ accountId }) => accountId)))
    .toSorted((a, b) => a.size - b.size);
  const ids = [...first].filter((id) => others.every((other) => other.has(id)));
  // Ids sort by creation time.
  const newest = ids.toSorted().toReversed().slice(0, mostFound);
  const found = await Promise.all(newest.map((id) => stores.accounts.byId(id)));
  return {
    items: found.filter((account) => account !== null),
    isCut: ids.length > mostFound || lists.some(({ length }) => length === mostLookedAt),
  };
}

const weekMs = 7 * dayMs;
/** Hours of accounts read; beyond this number `isCut` is set. */
const mostHours = 10_000;
const mostNamed = 5;

/** Counts of an account's finished deliveries in the last seven days. */
export async function accountVolume(
  { stores, clock, deliveryTally }: World,
  accountId: string,
): Promise<DeliveryCounts> {
  await deliveryTally.flush();
  const week = noCounts();
  for (const hour of await stores.deliveryHours.since(accountId, findHour(clock.now() - weekMs)))
    addCounts(week, hour);
  return week;
}

/** Given-up deliveries of all accounts in this and the previous hour; counts of other nodes are a minute old at most. */
export async function givenUpLately(world: World): Promise<GivenUpLately> {
  const { stores, clock, deliveryTally } = world;
  await deliveryTally.flush();
  const since = findHour(clock.now()) - hourMs;
  const hours = await stores.deliveryHours.givenUpOfAll(since, mostHours);
  const byAccount = new Map<string, number>();
  for (const { accountId, givenUp } of hours)
    if (givenUp > 0) byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + givenUp);
  const worst = [...byAccount].toSorted(([, a], [, b]) => b - a).slice(0, mostNamed);
  const accounts = await accountsOf(
    world,
    worst.map(([id]) => id),
  );
  return {
    since,
    events: [...byAccount.values()].reduce((sum, events) => sum + events, 0),
    accounts: byAccount.size,
    worst: worst.flatMap(([id, events]) => {
      const account = accounts.get(id);
      return account === undefined ? [] : [{ account, events }];
    }),
    isCut: hours.length === mostHours,
  };
}
