import type { Account, ApiKey } from './account.ts';
import { leavingEmail } from '../../rules/email.ts';
import { newItem, readPage } from '../../storage/records.ts';
import type { Records } from '../../storage/records.ts';
import type { Engine } from '../../storage/engine.ts';
import { findByEmail } from './account-people.ts';
import { accountWords, accounts as accountsEntity, apiKeys } from './entity.ts';
import { people as peopleEntity } from './people-entity.ts';
import { subscriptions as subscriptionsEntity } from '../../storage/entities/subscriptions.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';
import { listStoredWords } from './words-store.ts';

export function accountStore(engine: Pick<Engine, 'recordsOf' | 'insertTogether'>) {
  const accounts = engine.recordsOf(accountsEntity);
  const people = engine.recordsOf(peopleEntity);
  const subscriptions = engine.recordsOf(subscriptionsEntity);
  const words = engine.recordsOf(accountWords);
  return {
    /**
     * Inserts account, first key (if any) and trial atomically. False if the e-mail address is taken. The account is inserted last and
     * decides, by its unique e-mail address. Before that, key and trial cannot be found by anything that anybody knows.
     */
    create(account: Account, key: ApiKey | null, trial: Subscription): Promise<boolean> {
      return engine.insertTogether([
        ...(key === null ? [] : [newItem(apiKeys, key)]),
        ...listStoredWords(account).map((item) => newItem(accountWords, item)),
        newItem(subscriptionsEntity, trial),
        newItem(accountsEntity, account),
      ]);
    },
    byId: (id: string): Promise<Account | null> => accounts.one({ id }),
    byEmail: (email: string): Promise<Account | null> =>
      findByEmail(email, (spelled) => accounts.one({ email: spelled })),
    suspend: suspension(accounts),
    /** False if there is no such account. */
    note: async (
      id: string,
      note: string | null,
      seen: Partial<Pick<Account, 'note'>> = {},
    ): Promise<boolean> =>
      (await accounts.patch({ which: { ...seen, id }, change: { set: { note } } })) !== null,
    /** Newest first. */
    page: (page: PageRequest): Promise<Page<Account>> =>
      readPage(accounts, { by: 'byAge', isDescending: true }, page),
    /** Accounts created in [from, below) (ms), oldest first. */
    madeIn: (time: { from: number; below: number }, page: PageRequest): Promise<Page<Account>> =>
      readPage(accounts, { by: 'byAge', range: { on: 'createdAt', ...time } }, page),
    /**
     * Deletes the account with its people and licences. False, and nothing is deleted, if its address was confirmed meanwhile. Does
     * not match a confirmed account: the confirmation changes the account's address first. The account goes last, without an address until
     * then: so nobody confirms it, and a deletion that broke off is repeated.
     */
    async dropUnconfirmed({ id, email }: Pick<Account, 'id' | 'email'>): Promise<boolean> {
      const leaving = { which: { id, email }, change: { set: { email: leavingEmail(id) } } };
      if ((await accounts.patch(leaving)) === null) return false;
      await people.remove({ id });
      await subscriptions.remove({ accountId: id });
      await words.remove({ accountId: id });
      return (await accounts.remove({ id })) > 0;
    },
  };
}

/**
 * Suspends sending from `since` (ms); null lifts the suspension. A second suspension keeps the first time, and the reason too if it gives none.
 * The account before and after this very write; null: no such account.
 */
function suspension(accounts: Records<Account>) {
  return async (id: string, since: number | null, why: string | null): Promise<ChangedAccount | null> => {
    const which = since === null ? { id } : { id, suspendedAt: null };
    const set = { suspendedAt: since, suspendedWhy: since === null ? null : why };
    const changed = await accounts.patchBoth({ which, change: { set } });
    if (changed !== null) return changed;
    if (why !== null) return accounts.patchBoth({ which: { id }, change: { set: { suspendedWhy: why } } });
    const known = await accounts.one({ id });
    return known === null ? null : { before: known, after: known };
  };
}

export type AccountStore = ReturnType<typeof accountStore>;

interface ChangedAccount {
  before: Account;
  after: Account;
}
