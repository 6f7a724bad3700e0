/** A file on its way to upstream, and what is learned of it while it passes. */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { FileToUpload } from '../../upstream/upload-calls.ts';

/** Bytes that tell a type; a first piece may have fewer. */
const beginning = 16;

interface Watching {
  /** Throws if the file must not pass. */
  onBeginning: (first: Uint8Array) => void;
  /** Called before upstream has the whole of it: what it throws breaks the upload off. */
  onEnd: () => Promise<unknown>;
  /** Whether its bytes are hashed. */
  hashes: boolean;
}

export class PassingFile {
  /** Number of its bytes so far. */
  bytes = 0;
  /** To be read once. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly #hash: Hash | null;

  constructor(content: FileToUpload['content'], watching: Watching) {
    this.#hash = watching.hashes ? createHash('sha256') : null;
    this.content = this.#pass(content, watching);
  }

  /** Of its bytes, once it has passed; empty if they are not hashed. */
  digest(): string {
    return this.#hash?.digest('hex') ?? '';
  }

  async *#pass(content: FileToUpload['content'], watching: Watching): AsyncGenerator<Uint8Array> {
    let held: Uint8Array | null = new Uint8Array();
    for await (const piece of content) {
      this.bytes += piece.length;
      this.#hash?.update(piece);
      if (held === null) yield piece;
      else if ((held = Buffer.concat([held, piece])).length >= beginning) {
        watching.onBeginning(held);
        yield held;
        held = null;
      }
    }
    if (held !== null && held.length > 0) {
      watching.onBeginning(held);
      yield held;
    }
    await watching.onEnd();
  }
}
