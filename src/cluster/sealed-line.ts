/**
 * What crosses a link, sealed message by message: AES-256-GCM under a key for each direction of each link, the count of the
 * messages as nonce. A message that was altered, repeated, left out, moved to another link or sent back can't be opened. Counts are
 * not sent: a WebSocket keeps the order. [faults: API5]
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
/** Counts fill the end of the nonce: of six bytes, which no link outlives. */
const countBytes = 6;
const tagBytes = 16;

/** What a sealed message is longer than its text. */
export const sealBytes = tagBytes;

/** Of 32 bytes each. */
export interface LineKeys {
  ours: Buffer;
  theirs: Buffer;
}

export class SealedLine {
  readonly #keys: LineKeys;
  #sealed = 0;
  #opened = 0;

  constructor(keys: LineKeys) {
    this.#keys = keys;
  }

  seal(text: string): Buffer {
    const sealing = createCipheriv(cipher, this.#keys.ours, nonceOf(this.#sealed));
    this.#sealed += 1;
    const sealed = sealing.update(text, 'utf8');
    return Buffer.concat([sealed, sealing.final(), sealing.getAuthTag()]);
  }

  /** null: it is not the next message of the peer, as the peer wrote it. */
  open(bytes: Buffer): string | null {
    if (bytes.length < tagBytes) return null;
    const end = bytes.length - tagBytes;
    const opening = createDecipheriv(cipher, this.#keys.theirs, nonceOf(this.#opened), {
      authTagLength: tagBytes,
    });
    opening.setAuthTag(bytes.subarray(end));
    this.#opened += 1;
    const plain = opening.update(bytes.subarray(0, end));
    try {
      opening.final();
    } catch {
      return null; // its only failure is a tag that does not fit
    }
    return plain.toString('utf8');
  }
}

function nonceOf(count: number): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUIntBE(count, nonceBytes - countBytes, countBytes);
  return nonce;
}
