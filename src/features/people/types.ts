/** People who sign in at the portal. [operator-interface §4, sign-up] */
import type { MailTopic } from '../../rules/mails/topics.ts';
import type { Role } from '../../rules/person.ts';

/** `secret` goes into the person's cookie; only its hash is stored. */
export interface SignedIn {
  secret: string;
  expiresAt: number;
}

/** `awaitsCode`: the secret is of no session yet: the person has to give the code of the second step. */
export interface Begun extends SignedIn {
  awaitsCode: boolean;
}

/** Where a session begins, for the list of the person's sessions. */
export interface SessionOrigin {
  /** IP address of the client; null: not known. */
  address: string | null;
  /** Browser and system, "Firefox on Linux"; null: not known. */
  agent: string | null;
}

/** A person as the account's people see them. */
export interface Member {
  id: string;
  email: string;
  role: Role;
  /** Time of sign-up or invitation. */
  createdAt: number;
  /** Accurate to an hour. null: never. */
  lastSeenAt: number | null;
  /** False while the person has no password: invited, or the account was created by an operator. */
  hasJoined: boolean;
  /** Whether signing in takes a code beside the password. */
  hasSecondStep: boolean;
}

export interface ListedMember extends Member {
  /** What the person is mailed about. */
  mailTopics: readonly MailTopic[];
}

/** What the link of an invitation shows. `account`: the account's name, else its e-mail address. */
export interface Invitation {
  email: string;
  role: Role;
  account: string;
}

/** `address`: IP address of the client, for the rate limits. */
export interface Credentials {
  email: string;
  password: string;
  address: string;
}

/** `browser`: what an earlier sign-in of this browser returned as `browser`; '' or undefined: none. */
export interface SignInRequest extends Credentials {
  browser?: string;
  agent?: string | null;
}

/** `browser`: shows at the next sign-in that the address signed in from this browser before. */
export interface SignedInBefore extends Begun {
  browser: string;
  browserExpiresAt: number;
}

/** `name`: name of the business; '' or undefined: none. */
export interface SignUpRequest extends Credentials {
  name?: string;
  agent?: string | null;
}

/** `session`: secret of the browser's session, or ''; `password`: the typed password, or ''. */
export interface ConfirmRequest {
  token: string;
  session: string;
  password: string;
  address: string;
}

/** A password, and the token of the link that lets it be chosen. `agent`: see `SessionOrigin`. */
export interface LinkPassword {
  token: string;
  password: string;
  agent?: string | null;
}

/** `current`: the typed present password. */
export interface PasswordChange {
  current: string;
  password: string;
  address: string;
  agent?: string | null;
}

/** What a confirmation link needs beside itself. `used_up`: the link is used, expired or invalid. */
export type Confirming = 'nothing' | 'password' | 'used_up';
