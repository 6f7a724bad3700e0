/** Accounts, their API keys and what a key owns. */
import type { Account, ApiKey, Redirect } from '../../domain/accounts/account.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { Caller } from '../caller.ts';
import type { PageRequest, Page } from './paging.ts';

export interface AccountStore {
  /** Account, first key, if there is to be one, and trial in one step. False when the e-mail is taken. */
  create(account: Account, key: ApiKey | null, trial: Subscription): Promise<boolean>;
  byId(accountId: string): Promise<Account | null>;
  byEmail(email: string): Promise<Account | null>;
  /** Since when it may not send; null: it may. Suspended twice: since the first time. null: there is no such account. */
  suspend(accountId: string, since: number | null): Promise<Account | null>;
  /** Newest first. */
  page(page: PageRequest): Promise<Page<Account>>;
  /** Oldest first, those that were made in this time (ms). */
  madeIn(time: { from: number; below: number }, page: PageRequest): Promise<Page<Account>>;
  /** With its people and licences. False, and it stays, when its address was proved meanwhile. */
  dropUnproved(account: Pick<Account, 'id' | 'email'>): Promise<boolean>;
}

interface KeyUse {
  keyId: string;
  at: number;
}

export interface KeyStore {
  /** False, and nothing is kept, when the account holds `max` keys that are not revoked, however many race. */
  insert(key: ApiKey, max: number): Promise<boolean>;
  /** The key with this hash unless it is revoked. */
  activeByHash(hash: string): Promise<ApiKey | null>;
  list(accountId: string): Promise<ApiKey[]>;
  /** Those not revoked, newest first. */
  page(accountId: string, page: PageRequest): Promise<Page<ApiKey>>;
  /** Revoked or not, whoever it belongs to: for operators. */
  byId(keyId: string): Promise<ApiKey | null>;
  /** The unrevoked key of this account. */
  inAccount(keyId: string, accountId: string): Promise<ApiKey | null>;
  /** A time never moves back, whichever node is late. */
  noteUsed(used: readonly KeyUse[]): Promise<void>;
  /** False when there is no such unrevoked key. */
  revoke(keyId: string, now: number): Promise<boolean>;
}

export interface RedirectStore {
  list(apiKeyId: string, page: PageRequest): Promise<Page<Redirect>>;
  /** A key's patterns are a set: the one it holds with this pattern, however many race; null when it holds `max` others. */
  add(redirect: Redirect, max: number): Promise<Redirect | null>;
  /** With every one of the same pattern: files of earlier versions may hold twins. */
  remove(redirectId: string, apiKeyId: string): Promise<boolean>;
}

export interface RateLimiter {
  /** Seconds to wait; 0: go on. */
  take(caller: Pick<Caller, 'accountId' | 'apiKeyId'>): number;
}
