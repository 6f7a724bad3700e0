import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares digests, because `timingSafeEqual` throws on unequal lengths, which would reveal the secret's length. [faults 83] */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
