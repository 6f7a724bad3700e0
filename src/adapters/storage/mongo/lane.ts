/** Works of one kind on their way to one collection: first in, first out, one batch at a time. */
import type { Kind, QueuedWork } from './work.ts';

export const kinds: readonly Kind[] = ['insert', 'claim', 'fact', 'drop'];

const writesPerBatch = 1_000;
const bytesPerBatch = 8 * 1024 * 1024;

/** What a work has for one lane. */
export interface Part {
  of: QueuedWork;
  kind: Kind;
  /** Documents it touches. */
  ids: readonly string[];
  /** Parts before it that touch one of its documents and are not written yet. */
  blockers: number;
  /** Parts that it blocks; null: none. */
  followers: Part[] | null;
}

export class Lane {
  #queue: Part[] = [];
  /** The loop that empties it. */
  running: Promise<void> | null = null;

  /** Not yet sent. */
  get size(): number {
    return this.#queue.length;
  }

  push(part: Part): void {
    this.#queue.push(part);
  }

  /** The next batch; empty while nothing waits, or what waits first is blocked: nothing overtakes in a lane. */
  take(): Part[] {
    let count = 0;
    let writes = 0;
    let bytes = 0;
    for (const { of, kind, ids, blockers } of this.#queue) {
      const more = kind === 'insert' ? of.bytes : 0;
      const isFull = writes + ids.length > writesPerBatch || bytes + more > bytesPerBatch;
      if (blockers > 0 || (count > 0 && isFull)) break;
      count += 1;
      writes += ids.length;
      bytes += more;
    }
    return count === this.#queue.length ? this.#all() : this.#queue.splice(0, count);
  }

  #all(): Part[] {
    const all = this.#queue;
    this.#queue = [];
    return all;
  }
}
