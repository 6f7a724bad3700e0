import { randomBytes } from 'node:crypto';

const prefixBytes = 8;
const nonceBytes = 12;
const perPrefix = 2 ** 32;

/**
 * Nonces of AES-GCM, counted: 64 random bits for each process, then a count of 32. Within a process none repeats; two processes share one
 * only if they drew the same 64 bits, one chance in 2^32 after 65,000 starts, whatever each has sealed. Random ones allow as many seals
 * in all before a key has to go. [NIST SP 800-38D §8.2.1; faults: 136]
 */
export class Nonces {
  readonly #nonce = Buffer.alloc(nonceBytes);
  #count: number;

  constructor(count = 0) {
    this.#count = count;
    randomBytes(prefixBytes).copy(this.#nonce);
  }

  /** The same memory each time: to be used before the next is asked for. */
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
