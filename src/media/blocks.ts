/** The memory of a download: blocks that its chunks are copied into, and buffers that its socket is read into. */
import http from 'node:http';
import { Duplex } from 'node:stream';
import { freeMemory } from '../kernel/free-memory.ts';

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

let copies: Promise<boolean> | null = null;

/**
 * Frees the buffers that a socket is read into. Node's HTTP parser copies the body and leaves these buffers to the garbage collector, which
 * lets them grow to 32 MB. They are freed once parsed, provided that the parser is known to copy. Applies to all later reads.
 */
export function freeBlocks({ socket }: http.IncomingMessage): void {
  copies ??= parserCopies();
  let isCertain = false;
  copies.then(
    (does) => (isCertain = does),
    () => undefined, // could not be tested: the garbage collector frees the buffers
  );
  // Listeners run in order: the parser's came first and has finished with the buffer.
  socket.on('data', (block) => void (isCertain && freeMemory(block)));
}

/** Tests that with a response from memory. */
export async function parserCopies(): Promise<boolean> {
  const block = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
  const wire = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ createConnection: () => wire }, resolve).on('error', reject);
    wire.push(block);
  });
  const pieces: Uint8Array[] = [];
  await new Promise<void>((resolve) => response.on('data', (piece) => pieces.push(piece)).on('end', resolve));
  wire.destroy();
  return pieces.length > 0 && pieces.every(({ buffer }) => buffer !== block.buffer);
}
