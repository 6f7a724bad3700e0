import { hash, randomBytes, randomFillSync, createHash, timingSafeEqual } from 'node:crypto';
import { systemClock } from './clock.ts';

/**
 * Makes a string one flat sequence of one-byte characters. V8 keeps a concatenated string as a tree of slices: as a map key it costs 510 B
 * instead of 85 B, and a full collection with a million keys takes thirty times as long.
 */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

const randomPerId = 10;
/** Random bytes for several hundred ids: one call costs the same for ten bytes as for thousands. */
const random = Buffer.alloc(400 * randomPerId);
let randomAt = random.length;
const written = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1');
const digits = Buffer.from('0123456789abcdef', 'latin1');

/**
 * A UUID of version 7 (RFC 9562): the time in ms, then 74 random bits. Rows with successive keys are stored side by side: at 300,000
 * messages a claim writes 3 KB to the disk and not 12. [performance §4]
 */
export function newId(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  writeTime(systemClock.now());
  const [a, b, c] = [random[randomAt] ?? 0, random[randomAt + 1] ?? 0, random[randomAt + 2] ?? 0];
  writeByte(14, 0x70 | (a & 0x0f));
  writeByte(16, b);
  writeByte(19, 0x80 | (c & 0x3f));
  writeByte(21, random[randomAt + 3] ?? 0);
  for (let at = 4; at < randomPerId; at += 1) writeByte(16 + 2 * at, random[randomAt + at] ?? 0);
  randomAt += randomPerId;
  return written.toString('latin1');
}

function writeTime(ms: number): void {
  for (let byte = 0, rest = ms; byte < timePlaces.length; byte += 1, rest = Math.floor(rest / 256))
    writeByte(timePlaces[byte] ?? 0, rest & 0xff);
}

/** Offsets of the time's bytes, the last byte first. */
const timePlaces = [11, 9, 6, 4, 2, 0] as const;

function writeByte(at: number, byte: number): void {
  written[at] = digits[byte >> 4] ?? 0;
  written[at + 1] = digits[byte & 15] ?? 0;
}

/**
 * A UUID derived from these parts: a redelivered upstream message gets the same id, so that every insert that follows from it is a no-op
 * the second time.
 */
export function idFrom(...parts: readonly string[]): string {
  const hex = hash('sha256', JSON.stringify(parts));
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
  // Version 8: "custom", RFC 9562.
  return flat(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
  );
}

/** All our ids are UUIDs in lower case. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** As we write it, an id that a client may have read as a UUID and written in capitals, as Swift does (RFC 9562, 4). [faults: 545] */
export function asWritten(id: string): string {
  return id.toLowerCase();
}

/** Of the form of a message's or delivery's id: those of parts end with `.2`, `.3`, … [spec: message.received data, rule 2] */
export function isMessageId(text: string): boolean {
  return isId(text.replace(/\.\d{1,3}$/, ''));
}

/** Unguessable URL-safe text of this many random bytes. */
export function newSecret(bytes = 32): string {
  return flat(randomBytes(bytes).toString('base64url'));
}

/** SHA-256 of a secret that this service generated, in hex: the stored form of secrets that are only compared. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** A number from 0 to 2^32 - 1, the same for the same text. To distribute or distinguish, not for security. */
export function shortHash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}

/** Compares digests, because `timingSafeEqual` throws on unequal lengths, which would reveal the secret's length. [faults 83] */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
