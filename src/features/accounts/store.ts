/** Accounts and their API keys. */
import { wordsOfAccount } from './search-words.ts';
import type { Account, ApiKey } from './account.ts';
import { endOfPrefix, insertNew, newItem, readPage } from '../../storage/records.ts';
import type { Patched, Records, RecordsOf } from '../../storage/records.ts';
import type { Engine } from '../../storage/engine.ts';
import { findByEmail } from './account-people.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { accountWords, accounts as accountsEntity, apiKeys } from './entity.ts';
import type { StoredAccountWord, AccountWord } from './entity.ts';
import { people as peopleEntity } from './people-entity.ts';
import { subscriptions as subscriptionsEntity } from '../../storage/entities/subscriptions.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';

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
    note: async (id: string, note: string | null): Promise<boolean> =>
      (await accounts.patch({ which: { id }, change: { set: { note } } })) !== null,
    /** Newest first. */
    page: (page: PageRequest): Promise<Page<Account>> =>
      readPage(accounts, { by: 'byAge', isDescending: true }, page),
    /** Accounts created in [from, below) (ms), oldest first. */
    madeIn: (time: { from: number; below: number }, page: PageRequest): Promise<Page<Account>> =>
      readPage(accounts, { by: 'byAge', range: { on: 'createdAt', ...time } }, page),
    /**
     * Deletes the account with its people and licences. False, and nothing is deleted, if its address was confirmed meanwhile. Does
     * not match a confirmed account: the confirmation changes the account's address first.
     */
    async dropUnconfirmed({ id, email }: Pick<Account, 'id' | 'email'>): Promise<boolean> {
      if ((await accounts.remove({ id, email })) === 0) return false;
      await people.remove({ id });
      await subscriptions.remove({ accountId: id });
      await words.remove({ accountId: id });
      return true;
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

/**
 * Revoked keys beyond this many are removed: listing an account's keys, or counting them for a new one, reads revoked keys too, and an
 * account that makes and revokes keys all day would slow down everybody. [faults: I11]
 */
const newestKept = 1_000;
/** More than the unrevoked keys that an account can have, so that each call removes some. */
const oldestPerLook = 100;

export function keyStore(recordsOf: RecordsOf) {
  const keys = recordsOf(apiKeys);
  const revocations = keys.only('id', 'createdAt', 'revokedAt');

  async function forgetOldest(accountId: string): Promise<void> {
    const behind = { isDescending: true, skip: newestKept, limit: oldestPerLook };
    const old = await revocations.list({ by: 'ofAccount', equal: { accountId }, ...behind });
    const revoked = old.filter(({ revokedAt }) => revokedAt !== null);
    if (revoked.length > 0) await keys.removeEach(revoked.map(({ id }) => id));
  }

  return {
    /** False, and nothing is inserted, if the account has `max` unrevoked keys; holds under concurrent inserts. */
    async insert(key: ApiKey, max: number): Promise<boolean> {
      await insertNew(keys, key);
      const { id, accountId } = key;
      await forgetOldest(accountId);
      const held = { by: 'ofAccount', equal: { accountId, revokedAt: null }, limit: max + 1 };
      if (await hasRoom({ id, max }, () => revocations.list(held))) return true;
      await keys.remove({ id });
      return false;
    },
    /** The unrevoked key with this hash. */
    activeByHash: (hash: string): Promise<ApiKey | null> => keys.one({ hash, revokedAt: null }),
    list: (accountId: string): Promise<ApiKey[]> =>
      keys.list({ by: 'ofAccount', equal: { accountId }, limit: null }),
    /** Unrevoked keys, newest first. */
    page: (accountId: string, page: PageRequest): Promise<Page<ApiKey>> =>
      readPage(keys, { by: 'ofAccount', equal: { accountId, revokedAt: null }, isDescending: true }, page),
    /** A key of any account, revoked or not: for operators. */
    byId: (id: string): Promise<ApiKey | null> => keys.one({ id }),
    /** The unrevoked key with this id, if it belongs to this account. */
    inAccount: (id: string, accountId: string): Promise<ApiKey | null> =>
      keys.one({ id, accountId, revokedAt: null }),
    /** A stored time never moves back, in whatever order the nodes write. */
    noteUsed: (used: readonly KeyUse[]): Promise<void> =>
      keys.patchEach(
        used.flatMap(({ keyId: id, at, address }) => {
          const change = { set: { lastUsedAt: at, lastUsedFrom: address ?? undefined } };
          const isLater = { on: 'lastUsedAt', below: at } as const;
          return [
            { which: { id, lastUsedAt: null }, change },
            { which: { id }, range: isLater, change },
          ];
        }),
      ),
    /** Keys that end at `until` (ms) or before, revoked ones too: the next to end first, the first `limit` after `after`. */
    ending: ({ after, until, limit }: EndingKeys): Promise<ApiKey[]> =>
      keys.list({
        by: 'ending',
        range: { on: 'endsAt', upTo: until },
        after: [after.endsAt, after.id],
        limit,
      }),
    renameMaker: makerChange(keys),
    /** null if there is no such unrevoked key. */
    revoke: (id: string, now: number): Promise<Patched<ApiKey> | null> =>
      keys.patchBoth({ which: { id, revokedAt: null }, change: { set: { revokedAt: now } } }),
  };
}

/** Names the maker of an account's keys anew: an address, when its person has another one. */
function makerChange(keys: Records<ApiKey>) {
  return async (accountId: string, from: string, to: string): Promise<void> => {
    const made = await keys.list({ by: 'ofAccount', equal: { accountId, madeBy: from }, limit: null });
    await keys.patchEach(made.map(({ id }) => ({ which: { id }, change: { set: { madeBy: to } } })));
  };
}

export type KeyStore = ReturnType<typeof keyStore>;

/** Marker, not a word of an account: all accounts have their words in the index. */
const complete: StoredAccountWord = { id: 'complete', word: '', accountId: '' };

export function accountWordStore(recordsOf: RecordsOf) {
  const index = recordsOf(accountWords);
  return {
    /** Adds the words; words that are stored already stay. */
    add: (words: readonly AccountWord[]): Promise<void> => index.insertEach(words.map(toStored)),
    /** Words that begin with `prefix`, in alphabetical order, at most `limit`. */
    async beginning(prefix: string, limit: number): Promise<AccountWord[]> {
      const range = { on: 'word', from: prefix, below: endOfPrefix(prefix) } as const;
      const found = await index.list({ by: 'byWord', range, limit });
      return found.map(({ word, accountId }) => ({ word, accountId }));
    },
    /** Whether the index also covers the accounts and channels that are older than the index itself. */
    isComplete: async (): Promise<boolean> => (await index.one({ id: complete.id })) !== null,
    async noteComplete(): Promise<void> {
      await index.insert(complete);
    },
  };
}

function toStored({ word, accountId }: AccountWord): StoredAccountWord {
  return { id: `${word} ${accountId}`, word, accountId };
}

function listStoredWords(account: Account): StoredAccountWord[] {
  return wordsOfAccount(account).map((word) => toStored({ word, accountId: account.id }));
}

interface ChangedAccount {
  before: Account;
  after: Account;
}

interface KeyUse {
  keyId: string;
  at: number;
  /** IP address of the client; missing: not known. */
  address?: string | null;
}

/** Position in the list of keys that have an end. */
interface EndPlace {
  endsAt: number;
  id: string;
}

interface EndingKeys {
  after: EndPlace;
  until: number;
  limit: number;
}
