import { hashSecret, newSecret } from '../../kernel/ids.ts';
import type { Scope } from '../../rules/scopes.ts';
import { apiKeyPrefix, keySecretBytes } from '../../rules/api-key.ts';

/** Longest account name, in characters. */
export const maxAccountName = 200;
/** Longest reason of a suspension, and note of operators. */
export const maxReason = 300;
export const maxNote = 2_000;

/** A tenant. Everything else belongs to exactly one account. */
export interface Account {
  id: string;
  email: string;
  /** Name of the business, shown to people who are asked to connect a channel. */
  name: string | null;
  /** Start of the suspension (ms), during which sends are refused; null: not suspended. */
  suspendedAt: number | null;
  /** Why, as the account's people are told; null: they are not. */
  suspendedWhy: string | null;
  /** What operators keep in mind about the account; its people do not see it. */
  note: string | null;
  createdAt: number;
}

/** An API key as stored: never the key itself. [spec: Authentication 2] */
export interface ApiKey {
  id: string;
  accountId: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  /** First characters of the key, so that people can tell keys apart. */
  hint: string;
  /** Last characters of the key; null in keys of earlier versions. */
  lastFour: string | null;
  createdAt: number;
  revokedAt: number | null;
  /** Name given by a person. */
  name: string | null;
  /** Accurate to a minute. null: never. */
  lastUsedAt: number | null;
  /** IP address of the client that used it last; null: never used, or last by an earlier version. */
  lastUsedFrom: string | null;
  /** E-mail address of the person who created it; null: created by an operator or an earlier version. */
  madeBy: string | null;
  /** What the key may do; null: everything, as keys of earlier versions. */
  scopes: readonly Scope[] | null;
  /** The key is refused from this time on (ms); null: it has no end. */
  endsAt: number | null;
}

const hintLength = apiKeyPrefix.length + 4;

/**
 * A new API key of 256 random bits: the key itself (shown once), its SHA-256 in hex, its first and its last characters (stored).
 * A fast hash is enough, because random keys can't be guessed. [spec: Authentication 2]
 */
export function newApiKey(): { key: string; hash: string; hint: string; lastFour: string } {
  const key = apiKeyPrefix + newSecret(keySecretBytes);
  return { key, hash: hashSecret(key), hint: key.slice(0, hintLength), lastFour: key.slice(-4) };
}
