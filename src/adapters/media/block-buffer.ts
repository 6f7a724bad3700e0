import { freeMemory } from '../../kernel/free-memory.ts';

/**
 * Size of a write to the store. Sockets deliver 64 KB or less, and each write of a file wakes a thread, which costs the event loop 40 µs:
 * more than copying the bytes.
 */
export const blockBytes = 261_120;

/** Buffers a file's chunks in one block, which is written and reused. Chunks are copied; their memory is free afterwards. */
export class BlockBuffer {
  readonly #block: Buffer;
  readonly #write: (block: Uint8Array) => Promise<void>;
  #filled = 0;

  /** `expected`: size of the whole file in bytes, so that a small file needs no large block; null if unknown. */
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

  /** Call only when no write is pending. */
  free(): void {
    freeMemory(this.#block);
  }
}
