/**
 * Who signs in at the portal for an account, and who is invited to: until they have chosen a password they stand under an address that
 * is proved by nobody. An address has one account. [operator-interface §4, sign-up; operator-interface §4, people of an account]
 */
import type { Role } from './role.ts';

export interface Person {
  /** The account's id for its first person, whoever signed up or was made by an operator. */
  id: string;
  accountId: string;
  role: Role;
  email: string;
  /** argon2id, with its parameters; null: no password was ever set. */
  passwordHash: string | null;
  /** New with every password: what was handed out under an earlier one no longer counts. */
  passwordVersion: string;
  /** null: nobody has proved yet that mails to the address arrive. */
  confirmedAt: number | null;
  createdAt: number;
  /** About: noted once an hour. null: never, or before this was noted. */
  lastSeenAt: number | null;
  /** See `look.ts`. null: never, or before this was noted. */
  homeSeenAt: number | null;
  homeSince: number | null;
}

/** What a person's browser, or a link in a mail to them, may prove. */
export type PassKind = 'session' | 'reset' | 'confirm' | 'invite' | 'operator';

/** A secret that was handed to a person; only its hash is kept. Times in ms. */
export interface Pass {
  /** SHA-256 of the secret, hex. */
  id: string;
  personId: string;
  kind: PassKind;
  passwordVersion: string;
  createdAt: number;
  expiresAt: number;
}

/** Whoever has no password yet can't sign in. */
export function hasJoined({ passwordHash }: Person): boolean {
  return passwordHash !== null;
}
