/** Works of one kind for one collection: first in, first out, one batch at a time. */
import type { Claim, NewDocument, Update } from './commands.ts';

/** Writes to one collection that belong together. An id may occur several times in `facts`, otherwise once. */
export interface Work {
  inserts?: readonly NewDocument[];
  claims?: readonly Claim[];
  facts?: readonly Update[];
  drops?: readonly string[];
}

export interface WorkResult {
  /** One per insert: false if its id was taken. */
  inserted: boolean[];
  /** One per claim: false if it matched nothing. */
  claimed: boolean[];
  /** Indexes of the facts that made their document, or may have made it in an earlier try. */
  made: number[];
}

/** The kinds of a work's parts, each with a lane of its own; parts on one document keep their order. */
export type Kind = 'insert' | 'claim' | 'fact' | 'drop';

export interface QueuedWork {
  work: Required<Work>;
  /** Size of its inserts. */
  bytes: number;
  /** In monotonic ms. */
  deadline: number;
  result: WorkResult;
  /** Number of parts not written yet. */
  open: number;
  failure: Error | null;
  resolve: (result: WorkResult) => void;
  reject: (error: Error) => void;
}

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
