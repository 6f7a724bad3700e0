/**
 * A person who signs in at the portal for an account, or is invited to: an invited person has an unconfirmed address until they choose a
 * password. An address belongs to one account. [operator-interface §4, sign-up; operator-interface §4, people of an account]
 */
import type { Role } from './role.ts';

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
  /** See `home-visit.ts`. null: never, or only under an earlier version. */
  homeSeenAt: number | null;
  homeSince: number | null;
}

/** `session`: a browser's cookie; `operator`: that of an operator; the others: a link in a mail. */
export type PassKind = 'session' | 'reset' | 'confirm' | 'invite' | 'operator';

/** A secret issued to a person; only its hash is stored. Times in ms. */
export interface Pass {
  /** SHA-256 of the secret, hex. */
  id: string;
  personId: string;
  kind: PassKind;
  passwordVersion: string;
  createdAt: number;
  expiresAt: number;
}

/** False while the person has no password and can't sign in. */
export function hasJoined({ passwordHash }: Person): boolean {
  return passwordHash !== null;
}
