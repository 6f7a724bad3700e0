/** Ciphertext of a token or secret (key id, nonce, tag and bytes, base64). Only an adapter can make or open one. */
export type SealedText = string & { readonly sealed: 'text' };

/** Ciphertext of a payload at rest. */
export type SealedBytes = Uint8Array & { readonly sealed?: 'bytes' };

/**
 * AES-256-GCM under the newest key; opens under any configured key. `context` (see `sealContext`) names what is sealed and
 * for whom: opening with another context throws, so a sealed value moved between rows or tenants is useless.
 */
/** What a sealed value says of its key. */
interface SealingKeyOf {
  /** Eight hex digits, no secret. */
  id: string;
  /** Among the configured ones. */
  isKnown: boolean;
  isNewest: boolean;
}

export interface Sealer {
  seal(plain: Uint8Array, context: string): SealedBytes;
  open(sealed: SealedBytes, context: string): Uint8Array;
  sealText(plain: string, context: string): SealedText;
  openText(sealed: SealedText, context: string): string;
  /**
   * Tells whether two texts are equal, and reveals nothing of either without the key: a plain hash of a short text can be guessed. Under
   * the newest key. [faults: 137]
   */
  fingerprint(text: string, context: string): string;
  /** Under whichever configured key it was made; false for what is none. */
  isFingerprintOf(fingerprint: string, text: string, context: string): boolean;
  describeKey(sealed: SealedText): SealingKeyOf;
}

/** The one place where contexts are spelled. */
export const sealContext = {
  token: (channelId: string) => `channel:${channelId}:token`,
  choice: (sessionId: string) => `setup:${sessionId}:choice`,
  webhookSecret: (channelId: string) => `channel:${channelId}:webhook-secret`,
  content: (channelId: string, messageId: string) => `channel:${channelId}:message:${messageId}`,
  idempotency: (accountId: string, key: string) => `account:${accountId}:idempotency:${key}`,
  mailLink: (accountId: string, mailId: string) => `account:${accountId}:mail:${mailId}:link`,
  // What is stored opens under this word alone.
  strandedFacts: (channelId: string, strandedId: string) => `channel:${channelId}:parked:${strandedId}`,
  unmatched: (channelId: string, unmatchedIds: string) => `channel:${channelId}:unmatched:${unmatchedIds}`,
  delivery: (channelId: string, deliveryId: string) => `channel:${channelId}:delivery:${deliveryId}`,
  transcript: (channelId: string, transcriptId: string) => `channel:${channelId}:transcript:${transcriptId}`,
  profile: (subject: readonly string[]) => `profile:${JSON.stringify(subject)}`,
  aside: (channelId: string, itemId: string) => `channel:${channelId}:aside:${itemId}`,
  once: (accountId: string, path: string) => `account:${accountId}:once:${path}`,
  live: (redisChannel: string) => `live:${redisChannel}`,
} as const;
