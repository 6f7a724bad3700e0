/** People who sign in at the portal, and the secrets issued to them. */
import type { Pass, PassKind, Person, Role } from '../../rules/person.ts';

/** `last_owner`: nothing changes, because an account must keep an owner who can sign in. */
export type Lowered = 'done' | 'not_there' | 'last_owner';

/** Fields that a new password changes. */
type NewPassword = Pick<Person, 'passwordHash' | 'passwordVersion'>;

export interface PersonStore {
  /** False if a person has this id or this e-mail address. */
  insert(person: Person): Promise<boolean>;
  /** `taken`: as `insert`. `full`: nothing is inserted, because the account has `max` people; holds under concurrent inserts. */
  invite(person: Person, max: number): Promise<'invited' | 'taken' | 'full'>;
  byId(personId: string): Promise<Person | null>;
  byEmail(email: string): Promise<Person | null>;
  /** Oldest first; includes invited people. */
  ofAccount(accountId: string): Promise<Person[]>;
  /** False if there is no such person. */
  setPassword(personId: string, password: NewPassword): Promise<boolean>;
  /**
   * Records that the person owns this address; the account gets it too if it uses the person's address. The time of the first proof
   * is kept. False, and nothing changes, if another account has the address.
   */
  confirm(personId: string, email: string, now: number): Promise<boolean>;
  /** Lets an invited person sign in with this address. False: the person has joined already, was removed, or another has the address. */
  join(personId: string, joined: NewPassword & Pick<Person, 'email'>, now: number): Promise<boolean>;
  /** `setRole` and `remove` keep at least one owner, also when they run concurrently. `was`: the role that the write found. */
  setRole(
    person: Pick<Person, 'id' | 'accountId'>,
    role: Role,
  ): Promise<{ was: Role } | Exclude<Lowered, 'done'>>;
  /** If the account's mails went to this person, they go to its oldest owner from then on. */
  remove(person: Pick<Person, 'id' | 'accountId'>): Promise<Lowered>;
  /** The stored time never moves back. */
  noteSeen(personId: string, at: number): Promise<void>;
  noteLook(personId: string, look: Pick<Person, 'homeSeenAt' | 'homeSince'>): Promise<void>;
}

export interface PassStore {
  insert(pass: Pass): Promise<void>;
  /** The unexpired pass of this kind; null otherwise. */
  find(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** As `find`, and consumes the pass: exactly one caller gets it. */
  take(id: string, kind: PassKind, now: number): Promise<Pass | null>;
  /** Drops all but the newest `count` passes of this person and kind. */
  keepNewest(personId: string, kind: PassKind, count: number): Promise<void>;
  /** Drops the person's passes of every kind. */
  dropForPerson(personId: string): Promise<void>;
  dropExpired(before: number, stopping?: AbortSignal): Promise<number>;
}

/** Where a call waits: strangers take no place of known people. Whoever holds most places of a full line loses them first. */
export interface HashPlace {
  line: 'known' | 'strangers';
  /** Who waits: a network, or a person. */
  of: string;
}

/** Slow password hashes. Its lines are bounded: throws Fault `overloaded` if too many calls wait. */
export interface PasswordHasher {
  hash(password: string, place: HashPlace): Promise<string>;
  /** With `hash` null it takes the same time and returns false. */
  verify(hash: string | null, password: string, place: HashPlace): Promise<boolean>;
}
