/** Messages between the main thread, the writing thread and the checkpointing thread: plain data, cloned. */

export interface WriterSettings {
  path: string;
}

/** An operation's name and its arguments. */
export type OperationCall = [name: string, ...args: unknown[]];

export type Answer =
  | { ok: true; value: unknown }
  /** The call itself failed (for example, a unique value is taken); the rest of its batch is kept. */
  | { ok: false; message: string };

export type BatchAnswer =
  | { type: 'answers'; answers: Answer[] }
  /** Disk full or I/O error. `applied` is unknown if the commit failed: its fsync may have succeeded. */
  | { type: 'batch-failed'; message: string; applied: 'no' | 'unknown' };

/** The writing thread goes on without the checkpointing thread. */
interface CheckpointerDied {
  type: 'checkpointer-died';
  why: string;
}

export type WriterAnswer = BatchAnswer | CheckpointerDied;

export type ToCheckpointer = { type: 'copy' } | { type: 'close' };

/** A pass has ended, also if it failed. */
export interface CheckpointerAnswer {
  type: 'copied';
}

export type ToWriter = { type: 'batch'; calls: OperationCall[] } | { type: 'close' };
