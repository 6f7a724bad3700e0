/** Characters of what an account is called. */
export const maxAccountName = 200;

/** A tenant. Everything else belongs to exactly one account. */
export interface Account {
  id: string;
  email: string;
  /** Of the business: whoever is asked to connect a channel reads it. */
  name: string | null;
  /** Since when it may not send; null: it may. */
  suspendedAt: number | null;
  createdAt: number;
}

/** An API key as stored: never the key itself. [spec: Authentication 2] */
export interface ApiKey {
  id: string;
  accountId: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  /** First characters, so that a person can tell keys apart. */
  hint: string;
  /** Its last characters; null: made before they were kept. */
  lastFour: string | null;
  createdAt: number;
  revokedAt: number | null;
  /** What a person calls it. */
  name: string | null;
  /** About: noted once a minute. null: never. */
  lastUsedAt: number | null;
  /** Address of the person who made it; null: an operator did, or it was not kept yet. */
  madeBy: string | null;
}

/** An allowed redirect URI pattern, bound to one API key. [spec: Redirect, Authentication 5] */
export interface Redirect {
  id: string;
  accountId: string;
  apiKeyId: string;
  uriPattern: string;
  createdAt: number;
}
