import { randomBytes } from 'node:crypto';

const prefixBytes = 8;
const nonceBytes = 12;
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
