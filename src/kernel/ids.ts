import { createHash, randomBytes, randomUUID } from 'node:crypto';

/**
 * Makes a string one flat piece of one-byte characters. V8 keeps the result of randomUUID() as a tree of slices: as a map
 * key it then costs 510 B instead of 85 B, and a full collection at a million keys takes thirty times as long.
 */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** A random UUID (version 4). */
export function newId(): string {
  return flat(randomUUID());
}

/**
 * The UUID that always belongs to these parts: the same upstream message redelivered gets the same id, so that every
 * insert that follows from it is a no-op the second time.
 */
export function idFrom(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80; // version 8: "custom", RFC 9562
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return flat(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`,
  );
}

/** Unguessable text of the given number of random bytes, URL-safe. */
export function newSecret(bytes = 32): string {
  return flat(randomBytes(bytes).toString('base64url'));
}

/** SHA-256 of a secret of ours, hex: how secrets that are only ever compared are stored. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
