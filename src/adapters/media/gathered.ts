import { giveBack } from '../../kernel/give-back.ts';

/**
 * As much as the store is handed at once. Sockets give 64 KB and less, and each write of a file wakes a thread, which costs the event
 * loop 40 µs: more than copying what is written.
 */
export const blockBytes = 261_120;

/** Gathers the pieces of one file in one block, which is written and filled again. Pieces are copied: nobody needs them afterwards. */
export class Gathered {
  readonly #block: Buffer;
  readonly #write: (block: Uint8Array) => Promise<void>;
  #filled = 0;

  /** `expected`: bytes of the whole file, so that a small one takes no large block; null: not known. */
  constructor(expected: number | null, write: (block: Uint8Array) => Promise<void>) {
    this.#block = Buffer.allocUnsafeSlow(Math.min(expected || blockBytes, blockBytes));
    this.#write = write;
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let from = 0; from < piece.length;) {
      const some = piece.subarray(from, from + this.#block.length - this.#filled);
      this.#block.set(some, this.#filled);
      this.#filled += some.length;
      from += some.length;
      if (this.#filled === this.#block.length) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    const block = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    await this.#write(block);
  }

  /** Nothing may be being written any more. */
  free(): void {
    giveBack(this.#block);
  }
}
