/**
 * The way to one collection: what is written while a batch is in flight is gathered and sent as the next one. Nobody waits on
 * a timer: when nothing is in flight, a write leaves with the others of its tick. [performance §2.3]
 */
import { StoreUnavailable } from '../../../kernel/faults.ts';
import { writeBatch } from './batch.ts';
import type { Way } from './batch.ts';
import type { NewDocument } from './commands.ts';
import type { Waiting, Work, WorkResult } from './work.ts';

export interface GroupCommitStats {
  batches: number;
  writes: number;
  /** Gathered and not yet sent. */
  waiting: number;
}

const writesPerBatch = 1_000;
const bytesPerBatch = 8 * 1024 * 1024;
/** Beyond this the server does not keep up: refused at once instead of filling the memory. [faults: I11] */
const maxWaiting = 50_000;

type Kind = 'insert' | 'claim' | 'fact' | 'drop';

export class GroupCommitQueue {
  readonly #way: Way;
  #gathered: Waiting[] = [];
  #running: Promise<void> | null = null;
  #isClosed = false;
  #stats = { batches: 0, writes: 0 };

  constructor(way: Way) {
    this.#way = way;
  }

  /**
   * Resolves once the work is durable, in the order of `add`. Rejects with StoreUnavailable when it can't be known to be. Work
   * on one document keeps the order of `add`.
   */
  add(work: Work): Promise<WorkResult> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('the store is closed', 'no'));
    if (this.#gathered.length >= maxWaiting) {
      return Promise.reject(new StoreUnavailable(`${maxWaiting} writes are waiting`, 'no'));
    }
    return new Promise((resolve, reject) => {
      this.#gathered.push(waitingOf(work, this.#way.retryPolicy.deadline(), resolve, reject));
      this.#running ??= this.#run();
    });
  }

  /** Takes no more work; resolves when the accepted work is answered. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    while (this.#running !== null) await this.#running;
  }

  stats(): GroupCommitStats {
    return { ...this.#stats, waiting: this.#gathered.length };
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // the rest of the tick comes along
    while (this.#gathered.length > 0) {
      const batch = this.#take();
      this.#stats.batches += 1;
      await writeBatch(this.#way, batch);
      batch.forEach(settle);
    }
    this.#running = null;
  }

  /**
   * The commands of a batch run side by side, so no two of them may touch one document: work that would ends the batch and
   * starts the next.
   */
  #take(): Waiting[] {
    const touched = new Map<string, Kind>();
    let count = 0;
    let writes = 0;
    let bytes = 0;
    for (const { work, bytes: more } of this.#gathered) {
      const size = sizeOf(work);
      const isFull = writes + size > writesPerBatch || bytes + more > bytesPerBatch;
      if (count > 0 && (isFull || !touch(touched, work))) break;
      if (count === 0) touch(touched, work);
      count += 1;
      writes += size;
      bytes += more;
    }
    this.#stats.writes += writes;
    return this.#gathered.splice(0, count);
  }
}

function waitingOf(
  { inserts = [], claims = [], facts = [], drops = [] }: Work,
  deadline: number,
  resolve: Waiting['resolve'],
  reject: Waiting['reject'],
): Waiting {
  const result = { inserted: inserts.map(() => true), claimed: claims.map(() => true) };
  const bytes = inserts.reduce((sum, document) => sum + bytesOf(document), 0);
  return {
    work: { inserts, claims, facts, drops },
    bytes,
    deadline,
    result,
    failure: null,
    resolve,
    reject,
  };
}

function bytesOf(document: NewDocument): number {
  const sealed: unknown = document['payload'] ?? document['content'];
  return 500 + (sealed instanceof Uint8Array ? sealed.byteLength : 0);
}

function sizeOf({ inserts, claims, facts, drops }: Required<Work>): number {
  return inserts.length + claims.length + facts.length + drops.length;
}

function settle({ failure, result, resolve, reject }: Waiting): void {
  if (failure === null) resolve(result);
  else reject(failure);
}

/** Notes the documents of the work; false, and nothing noted, when the batch must not touch one of them again. */
function touch(touched: Map<string, Kind>, work: Required<Work>): boolean {
  const touches = touchesOf(work);
  const clashes = touches.some(([id, kind]) => {
    const before = touched.get(id);
    return before !== undefined && !(before === 'fact' && kind === 'fact');
  });
  if (clashes) return false;
  for (const [id, kind] of touches) touched.set(id, kind);
  return true;
}

function touchesOf({ inserts, claims, facts, drops }: Required<Work>): [id: string, kind: Kind][] {
  return [
    ...inserts.map(({ _id }): [string, Kind] => [_id, 'insert']),
    ...claims.map(({ id }): [string, Kind] => [id, 'claim']),
    ...facts.map(({ id }): [string, Kind] => [id, 'fact']),
    ...drops.map((id): [string, Kind] => [id, 'drop']),
  ];
}
