/** Messages between the main thread, the writing thread and the checkpointing thread: plain data, cloned. */

export interface WriterSettings {
  path: string;
  /** The file was copied here, and is checked before it is opened. */
  isCopy?: boolean;
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

/**
 * `thread-died`: the writing thread copies the WAL in its place. `copy-failed`: the WAL is kept, and copied with the next checkpoint.
 * `sync-failed`: the file may lack pages that the WAL will not be asked for again.
 */
export interface CheckpointTrouble {
  type: 'checkpoint-trouble';
  what: 'thread-died' | 'copy-failed' | 'sync-failed';
  why: string;
}

export type WriterAnswer = BatchAnswer | CheckpointTrouble;

export type ToCheckpointer = { type: 'copy' } | { type: 'close' };

export type CheckpointerAnswer = { type: 'copied' } | CheckpointTrouble;

export type ToWriter = { type: 'batch'; calls: OperationCall[] } | { type: 'close' };
