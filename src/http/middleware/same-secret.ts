import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares digests: `timingSafeEqual` throws on unequal lengths, and those would tell the secret's. [faults 83] */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
