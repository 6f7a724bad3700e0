/** What crosses between the main thread and the writing thread. Plain data, cloned. */

export interface WriterSettings {
  path: string;
}

/** Name of an operation and its arguments. */
export type OperationCall = [name: string, ...args: unknown[]];

export type Answer =
  | { ok: true; value: unknown }
  /** The call itself was wrong (a taken unique value, say); the others of its batch stand. */
  | { ok: false; message: string };

export type WriterAnswer =
  | { type: 'answers'; answers: Answer[] }
  /** Disk full, I/O error. `applied` is unknown when the commit itself failed: its sync may have reached the disk. */
  | { type: 'batch-failed'; message: string; applied: 'no' | 'unknown' };

export type ToWriter = { type: 'batch'; calls: OperationCall[] } | { type: 'close' };
