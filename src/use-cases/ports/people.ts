/** People who sign in at the portal, and the secrets that were handed to them. */
import type { Pass, PassKind, Person } from '../../domain/accounts/person.ts';
import type { Role } from '../../domain/accounts/role.ts';

/** `last_owner`: nothing is changed, because an account has an owner who can sign in. */
export type Lowered = 'done' | 'not_there' | 'last_owner';

/** What a chosen password changes. */
type NewPassword = Pick<Person, 'passwordHash' | 'passwordVersion'>;

export interface PersonStore {
  /** False when the id or the e-mail address has one. */
  insert(person: Person): Promise<boolean>;
  /** `taken`: as `insert`. `full`: nothing is kept, because the account has `max` people, however many race. */
  invite(person: Person, max: number): Promise<'invited' | 'taken' | 'full'>;
  byId(personId: string): Promise<Person | null>;
  byEmail(email: string): Promise<Person | null>;
  /** Oldest first; those who are invited are among them. */
  ofAccount(accountId: string): Promise<Person[]>;
  /** False when there is no such person. */
  setPassword(personId: string, password: NewPassword): Promise<boolean>;
  /**
   * From now on the person has this address, and so has the account while theirs is its address; the first time of a proof stands.
   * False, and nothing changes, when another account has it.
   */
  prove(personId: string, email: string, now: number): Promise<boolean>;
  /** Who is invited can sign in from now on, by this address. False: they can already, are no more, or another has the address. */
  join(personId: string, joined: NewPassword & Pick<Person, 'email'>, now: number): Promise<boolean>;
  /** Of owners who are lowered or go at once one stays, however many race. So it is with `remove`. */
  setRole(person: Pick<Person, 'id' | 'accountId'>, role: Role): Promise<Lowered>;
  /** Mails of the account that went to them go to its oldest owner from now on. */
  remove(person: Pick<Person, 'id' | 'accountId'>): Promise<Lowered>;
  /** A time never moves back. */
  noteSeen(personId: string, at: number): Promise<void>;
  noteLook(personId: string, look: Pick<Person, 'homeSeenAt' | 'homeSince'>): Promise<void>;
}

export interface PassStore {
  insert(pass: Pass): Promise<void>;
  /** The unexpired pass of this kind; null otherwise. */
  find(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** As `find`, and ends it: exactly one caller gets it. */
  take(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** Of this person and kind no more than `count` stay; the oldest go. */
  keepNewest(personId: string, kind: PassKind, count: number): Promise<void>;
  /** Of whatever kind. */
  dropForPerson(personId: string): Promise<void>;
  dropExpired(before: number): Promise<number>;
}

/** Hashes that cost an attacker time. Bounded: throws Fault `overloaded` when too many wait. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** With null it takes as long and is false. */
  verify(hash: string | null, password: string): Promise<boolean>;
}
