/** A file on its way to upstream, and what is learned of it while it passes. */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { FileToUpload } from '../../upstream/upload-calls.ts';

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
    for await (const piece of content) {
      if (this.bytes === 0) watching.onBeginning(piece);
      this.bytes += piece.length;
      this.#hash?.update(piece);
      yield piece;
    }
    await watching.onEnd();
  }
}
