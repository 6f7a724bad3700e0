/** Works of one kind for one collection: first in, first out, one batch at a time. */
import type { Kind, QueuedWork } from './work.ts';

export const kinds: readonly Kind[] = ['insert', 'claim', 'fact', 'drop'];

const writesPerBatch = 1_000;
const bytesPerBatch = 8 * 1024 * 1024;

/** The part of a work that goes to one lane. */
export interface Part {
  of: QueuedWork;
  kind: Kind;
  /** Documents that the part touches. */
  ids: readonly string[];
  /** Number of earlier unwritten parts that touch one of these documents. */
  blockers: number;
  /** Parts that wait for this one; null: none. */
  followers: Part[] | null;
}

export class Lane {
  #queue: Part[] = [];
  /** The loop that empties the lane. */
  running: Promise<void> | null = null;

  /** Number of parts not sent yet. */
  get size(): number {
    return this.#queue.length;
  }

  push(part: Part): void {
    this.#queue.push(part);
  }

  /** The next batch; empty if nothing waits, or if the first part is blocked: parts never overtake within a lane. */
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
