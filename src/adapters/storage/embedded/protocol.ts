/** What crosses between the main thread and the writing thread. Plain data, cloned. */

export interface WriterSettings {
  path: string;
}

/** Name of an operation and its arguments. */
export type Call = [name: string, ...args: unknown[]];

export type Answer =
  | { ok: true; value: unknown }
  /** The call itself was wrong (a taken unique value, say); the others of its batch stand. */
  | { ok: false; message: string };

export type FromWriter =
  | { type: 'ready' }
  | { type: 'answers'; answers: Answer[] }
  /** Nothing of the batch was committed: disk full, I/O error. */
  | { type: 'batch-failed'; message: string };

export type ToWriter = { type: 'batch'; calls: Call[] } | { type: 'close' };
