import { emailAsStored } from '../../rules/email.ts';
import type { World } from '../world.ts';
import { searchPrefixes } from '../accounts/index.ts';
import type { Account } from '../accounts/index.ts';
import { channelTypes } from '../../rules/vocabulary.ts';

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
