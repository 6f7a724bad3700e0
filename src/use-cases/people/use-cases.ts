/** People who sign in at the portal. [operator-interface §4, sign-up] */
import type { Caller } from '../caller.ts';

/** `secret` goes into the person's cookie; only its hash is kept. */
export interface SignedIn {
  secret: string;
  expiresAt: number;
}

export interface Visitor {
  email: string;
  /** As whom the API's use-cases are called. */
  caller: Caller;
  /** False until the address is proved, where mails are sent: may look, and nothing else. */
  mayAct: boolean;
}

/** `address`: where the request came from, for the limits. */
export interface SignInRequest {
  email: string;
  password: string;
  address: string;
}

/** What the pages say before anybody signs in. */
export interface PortalTerms {
  signup: boolean;
  trialDays: number;
  trialTier: string;
  /** Without a mail server mails are shown, not sent. */
  sendsMail: boolean;
}

export interface PeopleUseCases {
  portalTerms(): PortalTerms;
  signUp(request: SignInRequest): Promise<SignedIn>;
  /** null: unknown address or wrong password, and nobody is told which. */
  signIn(request: SignInRequest): Promise<SignedIn | null>;
  signOut(secret: string): Promise<void>;
  /** null: nobody is signed in with this. */
  visitor(secret: string): Promise<Visitor | null>;
  /** Says nothing of whether the address is known. */
  askReset(request: { email: string; address: string }): Promise<void>;
  /** null: the link was used, has expired or was never one. */
  resetPassword(request: { token: string; password: string }): Promise<SignedIn | null>;
  /** Ends every other session. null: the current password is another. */
  changePassword(
    visitor: Visitor,
    request: { current: string; password: string; address: string },
  ): Promise<SignedIn | null>;
  askConfirmation(visitor: Visitor): Promise<void>;
  /** False: the link was used, has expired or was never one. */
  confirmEmail(token: string): Promise<boolean>;
}
