/** The form of an API key. [spec: Authentication 1] */
export const apiKeyPrefix = 'mip_live_';

export const keySecretBytes = 32;
/** 32 bytes as base64url without padding. */
const secretLength = 43;
const keyLength = apiKeyPrefix.length + secretLength;

/** Whether a text has the form of an API key, so that garbage costs neither a hash nor a look-up. [faults: 83] */
export function looksLikeApiKey(text: string): boolean {
  // The length is checked first: a 10 KB header must not reach the regular expression.
  return text.length === keyLength && text.startsWith(apiKeyPrefix) && /^[A-Za-z0-9_-]+$/.test(text);
}

/** First and last characters of a key, for people to recognise it. `lastFour` null: the key was made before they were kept. */
export function showKey({ hint, lastFour }: { hint: string; lastFour: string | null }): string {
  return `${hint}…${lastFour ?? ''}`;
}

/** What people call the key: the name that they gave it. */
export function showKeyName({ name }: { name: string | null }): string {
  return name ?? 'Made by an operator';
}
