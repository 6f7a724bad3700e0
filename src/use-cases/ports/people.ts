/** People who sign in at the portal, and the secrets that were handed to them. */
import type { Pass, PassKind, Person } from '../../domain/accounts/person.ts';

export interface PersonStore {
  /** False when the account or the e-mail address has one. */
  insert(person: Person): Promise<boolean>;
  byId(accountId: string): Promise<Person | null>;
  byEmail(email: string): Promise<Person | null>;
  /** False when there is no such person. */
  setPassword(
    accountId: string,
    password: Pick<Person, 'passwordHash' | 'passwordVersion'>,
  ): Promise<boolean>;
  /**
   * From now on the account and its person have this address; the first time of a proof stands. False, and nothing changes, when
   * another account has it.
   */
  prove(accountId: string, email: string, now: number): Promise<boolean>;
}

export interface PassStore {
  insert(pass: Pass): Promise<void>;
  /** The unexpired pass of this kind; null otherwise. */
  find(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** As `find`, and ends it: exactly one caller gets it. */
  take(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** Of this account and kind no more than `count` stay; the oldest go. */
  keepNewest(accountId: string, kind: PassKind, count: number): Promise<void>;
  dropExpired(before: number): Promise<number>;
}

/** Hashes that cost an attacker time. Bounded: throws Fault `overloaded` when too many wait. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** With null it takes as long and is false. */
  verify(hash: string | null, password: string): Promise<boolean>;
}
