/** Accounts, their API keys and what a key owns. */
import type { Account, ApiKey } from './account.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Caller } from '../../rules/caller.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';

export interface ChangedAccount {
  before: Account;
  after: Account;
}

export interface AccountStore {
  /** Inserts account, first key (if any) and trial atomically. False if the e-mail address is taken. */
  create(account: Account, key: ApiKey | null, trial: Subscription): Promise<boolean>;
  byId(accountId: string): Promise<Account | null>;
  byEmail(email: string): Promise<Account | null>;
  /**
   * Suspends sending from `since` (ms); null lifts the suspension. A second suspension keeps the first time. The account before and after this very
   * write; null: no such account.
   */
  suspend(accountId: string, since: number | null): Promise<ChangedAccount | null>;
  /** Newest first. */
  page(page: PageRequest): Promise<Page<Account>>;
  /** Accounts created in [from, below) (ms), oldest first. */
  madeIn(time: { from: number; below: number }, page: PageRequest): Promise<Page<Account>>;
  /** Deletes the account with its people and licences. False, and nothing is deleted, if its address was confirmed meanwhile. */
  dropUnconfirmed(account: Pick<Account, 'id' | 'email'>): Promise<boolean>;
}

interface KeyUse {
  keyId: string;
  at: number;
}

export interface KeyStore {
  /** False, and nothing is inserted, if the account has `max` unrevoked keys; holds under concurrent inserts. */
  insert(key: ApiKey, max: number): Promise<boolean>;
  /** The unrevoked key with this hash. */
  activeByHash(hash: string): Promise<ApiKey | null>;
  list(accountId: string): Promise<ApiKey[]>;
  /** Unrevoked keys, newest first. */
  page(accountId: string, page: PageRequest): Promise<Page<ApiKey>>;
  /** A key of any account, revoked or not: for operators. */
  byId(keyId: string): Promise<ApiKey | null>;
  /** The unrevoked key with this id, if it belongs to this account. */
  inAccount(keyId: string, accountId: string): Promise<ApiKey | null>;
  /** A stored time never moves back, in whatever order the nodes write. */
  noteUsed(used: readonly KeyUse[]): Promise<void>;
  /** False if there is no such unrevoked key. */
  revoke(keyId: string, now: number): Promise<boolean>;
}

export interface RateLimiter {
  /** Seconds that the caller must wait; 0 admits the request. */
  take(caller: Pick<Caller, 'accountId' | 'apiKeyId'>): number;
}

/** Search index of operators: words of each account's name and address, and of the present and past names of its channels. */
export interface AccountWord {
  accountId: string;
  word: string;
}

export interface AccountWordStore {
  /** Adds the words; words that are stored already stay. */
  add(words: readonly AccountWord[]): Promise<void>;
  /** Words that begin with `prefix`, in alphabetical order, at most `limit`. */
  beginning(prefix: string, limit: number): Promise<AccountWord[]>;
  /** Whether the index also covers the accounts and channels that are older than the index itself. */
  isComplete(): Promise<boolean>;
  noteComplete(): Promise<void>;
}
