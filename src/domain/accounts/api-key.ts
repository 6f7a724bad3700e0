import { hashSecret, newSecret } from '../../kernel/ids.ts';
import type { ApiKey } from './account.ts';

/** [spec: Authentication 1] */
export const apiKeyPrefix = 'mip_live_';

const secretBytes = 32;
/** 32 bytes as base64url without padding. */
const secretLength = 43;
const keyLength = apiKeyPrefix.length + secretLength;
const hintLength = apiKeyPrefix.length + 4;

/**
 * A new API key of 256 random bits: the key itself (shown once), its SHA-256 in hex, its first and its last characters (stored).
 * A fast hash is enough, because random keys can't be guessed. [spec: Authentication 2]
 */
export function newApiKey(): { key: string; hash: string; hint: string; lastFour: string } {
  const key = apiKeyPrefix + newSecret(secretBytes);
  return { key, hash: hashSecret(key), hint: key.slice(0, hintLength), lastFour: key.slice(-4) };
}

/** First and last characters of a key, for people to recognise it. */
export function showKey({ hint, lastFour }: Pick<ApiKey, 'hint' | 'lastFour'>): string {
  return `${hint}…${lastFour ?? ''}`;
}

/** Whether a text has the form of an API key, so that garbage costs neither a hash nor a look-up. [faults: 83] */
export function looksLikeApiKey(text: string): boolean {
  // The length is checked first: a 10 KB header must not reach the regular expression.
  return text.length === keyLength && text.startsWith(apiKeyPrefix) && /^[A-Za-z0-9_-]+$/.test(text);
}
