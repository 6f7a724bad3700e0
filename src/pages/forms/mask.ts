/**
 * The token in forms, written differently each time: pages are compressed, and their size would tell somebody who makes a browser load them
 * often, with guesses in the address, more and more of a token that stays the same (BREACH). [faults: 360]
 */
import { randomBytes } from 'node:crypto';

/** Random bytes, then the token with these bytes XORed onto it. */
export function maskToken(token: string): string {
  const plain = Buffer.from(token);
  const mask = randomBytes(plain.length);
  return Buffer.concat([mask, xor(plain, mask)]).toString('base64url');
}

/** Any text gives one. */
export function unmaskToken(masked: string): string {
  const bytes = Buffer.from(masked, 'base64url');
  const half = Math.floor(bytes.length / 2);
  return xor(bytes.subarray(half), bytes.subarray(0, half)).toString();
}

function xor(bytes: Uint8Array, mask: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
