import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { SealedBytes, SealedText, Sealer } from './sealed.ts';

/**
 * Encryption at rest: AES-256-GCM. A sealed value is `key id (4) ‖ nonce (12) ‖ tag (16) ‖ ciphertext`; a sealed text is its base64. The
 * context is additional authenticated data, so that a value that was moved to another row or tenant does not open. [faults §5, Crypto]
 */

const keyBytes = 32;
const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = idBytes + nonceBytes + tagBytes;
const cipher = 'aes-256-gcm';

/**
 * A sealed value does not open: it is cut short, altered, from another context, or its key is not configured. Also thrown for unusable
 * keys.
 */
export class SealError extends Error {
  override readonly name = 'SealError';
}

interface SealingKey {
  id: Buffer;
  /** A KeyObject, so that Node checks the key once and keeps it outside the heap. */
  secret: KeyObject;
  /** HMAC key derived from the sealing key, so that a leaked fingerprint tells nothing about sealed values. */
  fingerprints: KeyObject;
}

/**
 * `keys`: base64 of 32 bytes each, newest first. The newest key seals and every key opens, so that keys are rotated by putting a new one in
 * front. Throws SealError if a key is unusable or listed twice; its text names the key's position, never the key.
 */
export function makeSealer(keys: readonly string[]): Sealer {
  const parsed = keys.map(parseKey);
  const newest = parsed[0];
  if (newest === undefined) throw new SealError('no sealing key is configured');
  const byId = new Map(parsed.map((key) => [key.id.toString('hex'), key]));
  if (byId.size !== parsed.length) throw new SealError('a sealing key is configured twice');

  const seal = (plain: Uint8Array, context: string) => sealUnder(newest, plain, context);
  const open = (sealed: Uint8Array, context: string) => openWith(byId, sealed, context);
  return {
    seal,
    open,
    sealText: (plain, context) => asText(seal(Buffer.from(plain, 'utf8'), context)),
    openText: (sealed, context) => Buffer.from(open(Buffer.from(sealed, 'base64'), context)).toString('utf8'),
    fingerprint: (text, context) => fingerprintUnder(newest, text, context),
    isFingerprintOf(fingerprint, text, context) {
      const key = byId.get(fingerprint.slice(0, 2 * idBytes));
      return key !== undefined && isSame(fingerprint, fingerprintUnder(key, text, context));
    },
    describeKey(sealed) {
      const id = Buffer.from(sealed, 'base64').toString('hex', 0, idBytes);
      return { id, isKnown: byId.has(id), isNewest: id === newest.id.toString('hex') };
    },
  };
}

function parseKey(text: string, index: number): SealingKey {
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64') === text.trim();
  if (bytes.length !== keyBytes || !canonical) {
    throw new SealError(`sealing key ${index + 1} is not base64 of ${keyBytes} bytes`);
  }
  return {
    id: createHash('sha256').update(bytes).digest().subarray(0, idBytes),
    secret: createSecretKey(bytes),
    fingerprints: createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', 'fingerprints', keyBytes))),
  };
}

const prefixBytes = 8;
const perPrefix = 2 ** 32;

/**
 * AES-GCM nonces: 64 random bits per process, then a 32-bit counter. Within a process no nonce repeats. Two processes share nonces only if
 * they drew the same 64 bits: a chance of 1 in 2^32 after 65,000 starts, however much each has sealed. Random nonces would limit a key to
 * about 2^32 seals in total. [NIST SP 800-38D §8.2.1; faults: 136]
 */
export class Nonces {
  readonly #nonce = Buffer.alloc(nonceBytes);
  #count: number;

  constructor(count = 0) {
    this.#count = count;
    randomBytes(prefixBytes).copy(this.#nonce);
  }

  /** Returns the same buffer each time: use it before the next call. */
  next(): Buffer {
    if (this.#count === perPrefix) {
      randomBytes(prefixBytes).copy(this.#nonce);
      this.#count = 0;
    }
    this.#nonce.writeUInt32BE(this.#count, prefixBytes);
    this.#count += 1;
    return this.#nonce;
  }
}

/** Shared by all sealers of the process, because two sealers may use the same key. */
const nonces = new Nonces();

function sealUnder(key: SealingKey, plain: Uint8Array, context: string): SealedBytes {
  const nonce = nonces.next();
  const sealing = createCipheriv(cipher, key.secret, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(context, 'utf8'));
  const body = sealing.update(plain);
  sealing.final();
  // `allocUnsafeSlow` does not use Buffer's shared pool: posting a view of the pool to the writer thread would copy all 8 KB of it.
  const sealed = Buffer.allocUnsafeSlow(headBytes + body.length);
  sealed.set(key.id, 0);
  sealed.set(nonce, idBytes);
  sealed.set(sealing.getAuthTag(), idBytes + nonceBytes);
  sealed.set(body, headBytes);
  return sealed;
}

function openWith(keys: ReadonlyMap<string, SealingKey>, sealed: Uint8Array, context: string): Uint8Array {
  if (sealed.length < headBytes) throw new SealError('sealed value is cut short');
  const view = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  const id = view.toString('hex', 0, idBytes);
  const key = keys.get(id);
  if (key === undefined) throw new SealError(`sealed under key ${id}, which is not among ENCRYPTION_KEYS`);
  const nonce = view.subarray(idBytes, idBytes + nonceBytes);
  const opening = createDecipheriv(cipher, key.secret, nonce, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(context, 'utf8'));
  opening.setAuthTag(view.subarray(idBytes + nonceBytes, headBytes));
  const plain = opening.update(view.subarray(headBytes));
  try {
    opening.final();
  } catch (error) {
    throw new SealError('sealed value was altered or belongs to another place', { cause: error });
  }
  return plain;
}

/** Key id, then the HMAC, in hex. A NUL separates context and text; no context contains one. */
function fingerprintUnder(key: SealingKey, text: string, context: string): string {
  const mac = createHmac('sha256', key.fingerprints).update(`${context}\0${text}`).digest('hex');
  return key.id.toString('hex') + mac;
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The only place that creates a SealedText. */
function asText(sealed: Uint8Array): SealedText {
  const text = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).toString('base64');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand needs one cast
  return text as SealedText;
}
