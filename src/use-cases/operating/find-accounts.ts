import type { Account } from '../../domain/accounts/account.ts';
import { addressIn, emailAsStored } from '../../domain/accounts/email.ts';
import { channelTypes } from '../../domain/vocabulary.ts';
import type { UseCaseDeps } from '../deps.ts';

/** Names are looked for among so many of the newest accounts: no index has them. */
const namesAmong = 1_000;
const mostFound = 20;

/** By e-mail address, id of an account or a channel, what upstream calls a channel, or a part of a name or address. */
export async function findAccounts(deps: UseCaseDeps, text: string): Promise<Account[]> {
  const exact = await exactly(deps, text);
  return exact === null ? byName(deps, text.toLowerCase()) : [exact];
}

async function exactly({ stores }: UseCaseDeps, text: string): Promise<Account | null> {
  const { accounts, channels } = stores;
  const account = (await accounts.byId(text)) ?? (await accounts.byEmail(emailAsStored(text)));
  if (account !== null) return account;
  const person = await stores.people.byEmail(emailAsStored(text));
  if (person !== null) return accounts.byId(person.accountId);
  const channel = await channels.byId(text);
  if (channel !== null) return accounts.byId(channel.accountId);
  for (const channelType of channelTypes) {
    const [holder] = await channels.byIdentity(channelType, [text]);
    if (holder !== undefined) return accounts.byId(holder.accountId);
  }
  return null;
}

async function byName({ stores }: UseCaseDeps, text: string): Promise<Account[]> {
  const { items } = await stores.accounts.page({ limit: namesAmong, cursor: null });
  const fits = ({ name, email }: Account): boolean =>
    [name ?? '', addressIn(email)].some((word) => word.toLowerCase().includes(text));
  return items.filter(fits).slice(0, mostFound);
}
