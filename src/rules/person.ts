/**
 * A person who signs in at the portal for an account, or is invited to: an invited person has an unconfirmed address until they choose a
 * password. An address belongs to one account. [operator-interface §4, sign-up; operator-interface §4, people of an account]
 */
import type { MailTopic } from './mails/topics.ts';
import type { SealedText } from '../kernel/sealed.ts';
import type { Caller } from './caller.ts';

export interface Person {
  /** Equals the account's id for the account's first person, created by sign-up or for an operator's account. */
  id: string;
  accountId: string;
  role: Role;
  email: string;
  /** argon2id hash with its parameters; null: no password was ever set. */
  passwordHash: string | null;
  /** Changes with every password: passes issued under an earlier version are invalid. */
  passwordVersion: string;
  /** Time of the first sign that the person receives mails at the address; null: unconfirmed. */
  confirmedAt: number | null;
  createdAt: number;
  /** Accurate to an hour. null: never, or only under an earlier version. */
  lastSeenAt: number | null;
  /** See `continueVisit`. null: never, or only under an earlier version. */
  homeSeenAt: number | null;
  homeSince: number | null;
  /** Secret of the second step of signing in, sealed; null: the password is enough. */
  stepSecret: SealedText | null;
  /** The period of the last code that was taken: no code of it or an earlier one is taken again. */
  stepUsed: number | null;
  /** Since when the second step is on (ms). */
  stepSince: number | null;
  /** What the person is mailed about; null: nothing was chosen, see `topicsOf`. */
  mailTopics: readonly MailTopic[] | null;
}

/**
 * `session`: a browser's cookie; `operator`: that of an operator; `step`: of a browser whose person gave the password, and not yet the
 * code; `recovery`: a code on paper in place of one of the app; the others: a link in a mail.
 */
export type PassKind =
  | 'session'
  | 'step'
  | 'recovery'
  | 'reset'
  | 'confirm'
  | 'address'
  | 'invite'
  | 'operator';

/** A secret issued to a person; only its hash is stored. Times in ms. */
export interface Pass {
  /** SHA-256 of the secret, hex. */
  id: string;
  personId: string;
  kind: PassKind;
  passwordVersion: string;
  createdAt: number;
  expiresAt: number;
  /** Sessions: IP address of the sign-in. null: a link, or a session of an earlier version. */
  address: string | null;
  /** Sessions: browser and system of the sign-in, "Firefox on Linux"; null: not known. */
  agent: string | null;
  /** Sessions: last use, accurate to an hour; null: only at the sign-in. */
  seenAt: number | null;
  /** Links of a change of address: the new address. */
  email: string | null;
}

/** False while the person has no password and can't sign in. */
export function hasJoined({ passwordHash }: Person): boolean {
  return passwordHash !== null;
}

/** Roles of people, strongest first: each role includes the permissions of the later ones. [operator-interface §4, people of an account] */
export const roles = ['owner', 'developer', 'viewer'] as const;

export type Role = (typeof roles)[number];

/** Whether the role includes the permissions of the needed one. */
export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}

/**
 * Visits of the portal's Home page. Page views less than half an hour apart are one visit, so that a reload shows the same
 * news. News are the events since the end of the previous visit.
 */
type Visit = Pick<Person, 'homeSeenAt' | 'homeSince'>;

const sameVisitMs = 1_800_000;
/** Shortest interval between writes during one visit. */
const noteEveryMs = 300_000;

/** `since`: start of the news; null: first visit. `noted`: fields to store; null: nothing to store. */
export function continueVisit(
  { homeSeenAt, homeSince }: Visit,
  now: number,
): { since: number | null; noted: Visit | null } {
  if (homeSeenAt === null || now - homeSeenAt > sameVisitMs)
    return { since: homeSeenAt, noted: { homeSeenAt: now, homeSince: homeSeenAt } };
  const isOld = now - homeSeenAt > noteEveryMs;
  return { since: homeSince, noted: isOld ? { homeSeenAt: now, homeSince } : null };
}

/** A person who is signed in at the portal. */
export interface Visitor {
  personId: string;
  email: string;
  role: Role;
  caller: Caller;
  /** False until the address is confirmed, with a mail server: the person may read only. */
  mayAct: boolean;
  /** The account's own name. */
  accountName: string | null;
  /** Whether the account is suspended: its sends are refused. */
  isSuspended: boolean;
  /** What operators say of the suspension. */
  suspendedWhy: string | null;
}
