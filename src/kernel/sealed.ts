/** Ciphertext of a token or secret (key id, nonce, tag and bytes, base64). Only a `Sealer` makes or opens one. */
export type SealedText = string & { readonly sealed: 'text' };

/** Ciphertext of a payload at rest. */
export type SealedBytes = Uint8Array & { readonly sealed?: 'bytes' };

/** The key of a sealed value. */
interface SealingKeyOf {
  /** Eight hex digits, no secret. */
  id: string;
  /** Whether the key is configured. */
  isKnown: boolean;
  isNewest: boolean;
}

/**
 * AES-256-GCM under the newest key; opens under any configured key. `context` (see `sealContext`) names the value and its
 * owner: opening with another context throws, so a sealed value moved between rows or tenants is useless.
 */
export interface Sealer {
  seal(plain: Uint8Array, context: string): SealedBytes;
  open(sealed: SealedBytes, context: string): Uint8Array;
  sealText(plain: string, context: string): SealedText;
  openText(sealed: SealedText, context: string): string;
  /**
   * Keyed hash for comparing texts, under the newest key. Without the key it reveals nothing; a plain hash of a short text could be
   * guessed. [faults: 137]
   */
  fingerprint(text: string, context: string): string;
  /** Accepts fingerprints under any configured key; false for any other text. */
  isFingerprintOf(fingerprint: string, text: string, context: string): boolean;
  describeKey(sealed: SealedText): SealingKeyOf;
}

/** All contexts, defined in one place. */
export const sealContext = {
  token: (channelId: string) => `channel:${channelId}:token`,
  choice: (sessionId: string) => `setup:${sessionId}:choice`,
  choiceEnding: (sessionId: string) => `setup:${sessionId}:ending`,
  webhookSecret: (channelId: string) => `channel:${channelId}:webhook-secret`,
  endpointHeaders: (ownerId: string) => `channel:${ownerId}:headers`,
  defaultWebhook: (accountId: string) => `account:${accountId}:default-webhook`,
  content: (channelId: string, messageId: string) => `channel:${channelId}:message:${messageId}`,
  idempotency: (accountId: string, key: string) => `account:${accountId}:idempotency:${key}`,
  mailLink: (accountId: string, mailId: string) => `account:${accountId}:mail:${mailId}:link`,
  // 'parked' and 'aside' must not change: stored values open only under these contexts.
  strandedFacts: (channelId: string, strandedId: string) => `channel:${channelId}:parked:${strandedId}`,
  unmatched: (channelId: string, unmatchedIds: string) => `channel:${channelId}:unmatched:${unmatchedIds}`,
  delivery: (channelId: string, deliveryId: string) => `channel:${channelId}:delivery:${deliveryId}`,
  transcript: (channelId: string, transcriptId: string) => `channel:${channelId}:transcript:${transcriptId}`,
  profile: (subject: readonly string[]) => `profile:${JSON.stringify(subject)}`,
  quarantined: (channelId: string, itemId: string) => `channel:${channelId}:aside:${itemId}`,
  knownBrowser: () => 'browser:known',
  secondStep: (personId: string) => `person:${personId}:second-step`,
  secondStepOffer: (personId: string) => `person:${personId}:second-step-offer`,
  once: (accountId: string, path: string) => `account:${accountId}:once:${path}`,
  live: (redisChannel: string) => `live:${redisChannel}`,
} as const;
