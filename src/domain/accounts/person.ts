/**
 * Who signs in at the portal for an account: one person per account, under the account's e-mail address, so that it is kept
 * under the account's id. [operator-interface §4, sign-up]
 */
export interface Person {
  /** The account's. */
  id: string;
  email: string;
  /** argon2id, with its parameters; null: an operator made the account and no password was ever set. */
  passwordHash: string | null;
  /** New with every password: what was handed out under an earlier one no longer counts. */
  passwordVersion: string;
  /** null: nobody has proved yet that mails to the address arrive. */
  confirmedAt: number | null;
  createdAt: number;
}

/** What a person's browser, or a link in a mail to them, may prove. */
export type PassKind = 'session' | 'reset' | 'confirm';

/** A secret that was handed to a person; only its hash is kept. Times in ms. */
export interface Pass {
  /** SHA-256 of the secret, hex. */
  id: string;
  accountId: string;
  kind: PassKind;
  passwordVersion: string;
  createdAt: number;
  expiresAt: number;
}
