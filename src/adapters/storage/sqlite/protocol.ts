/** Messages between the main thread and the writing thread: plain data, cloned. */

export interface WriterSettings {
  path: string;
}

/** An operation's name and its arguments. */
export type OperationCall = [name: string, ...args: unknown[]];

export type Answer =
  | { ok: true; value: unknown }
  /** The call itself failed (for example, a unique value is taken); the rest of its batch is kept. */
  | { ok: false; message: string };

export type WriterAnswer =
  | { type: 'answers'; answers: Answer[] }
  /** Disk full or I/O error. `applied` is unknown if the commit failed: its fsync may have succeeded. */
  | { type: 'batch-failed'; message: string; applied: 'no' | 'unknown' };

export type ToWriter = { type: 'batch'; calls: OperationCall[] } | { type: 'close' };
