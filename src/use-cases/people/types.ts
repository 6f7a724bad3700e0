/** People who sign in at the portal. [operator-interface §4, sign-up] */
import type { Role } from '../../domain/accounts/role.ts';
import type { Caller } from '../caller.ts';

/** `secret` goes into the person's cookie; only its hash is kept. */
export interface SignedIn {
  secret: string;
  expiresAt: number;
}

export interface Visitor {
  personId: string;
  email: string;
  role: Role;
  /** As whom the API's use-cases are called. */
  caller: Caller;
  /** False until the address is proved, where mails are sent: may look, and nothing else. */
  mayAct: boolean;
  /** Of the account: its sends are refused. */
  isSuspended: boolean;
}

/** Of the people of an account. */
export interface Member {
  id: string;
  email: string;
  role: Role;
  /** When they signed up or were invited. */
  createdAt: number;
  /** About. null: never. */
  lastSeenAt: number | null;
  /** False: invited, or an operator made the account; they have no password yet. */
  hasJoined: boolean;
}

/** `address`: where the request came from, for the limits. */
export interface SignInRequest {
  email: string;
  password: string;
  address: string;
}

/** `name`: of the business; '' or nothing: none. */
export interface SignUpRequest extends SignInRequest {
  name?: string;
}

/** What the pages say before anybody signs in. */
export interface PortalTerms {
  signup: boolean;
  trialDays: number;
  trialTier: string;
  /** Without a mail server mails are shown, not sent. */
  sendsMail: boolean;
}

/** A text that one page shows once. */
export interface OnceShown {
  path: string;
  text: string;
  /** ms. */
  expiresAt: number;
}

/** `session`: the secret of the browser's session, if there is one; `password`: if it was asked for. */
export interface ConfirmRequest {
  token: string;
  session: string;
  password: string;
  address: string;
}

/** What a link that confirms an address needs beside itself. `used_up`: it was used, has expired or was never one. */
export type Confirming = 'nothing' | 'password' | 'used_up';
