import type { Claim, NewDocument, Update } from './commands.ts';

/** Writes that belong together, to one collection. An id may be in several of `facts`, else only once. */
export interface Work {
  inserts?: readonly NewDocument[];
  claims?: readonly Claim[];
  facts?: readonly Update[];
  drops?: readonly string[];
}

export interface WorkResult {
  /** One per insert: false when its id was taken. */
  inserted: boolean[];
  /** One per claim: false when it matched nothing. */
  claimed: boolean[];
}

/** A work's parts go in lanes of their own, but for one document's. */
export type Kind = 'insert' | 'claim' | 'fact' | 'drop';

export interface QueuedWork {
  work: Required<Work>;
  /** Of its inserts. */
  bytes: number;
  /** Monotonic ms. */
  deadline: number;
  result: WorkResult;
  /** Parts that are not written yet. */
  open: number;
  failure: Error | null;
  resolve: (result: WorkResult) => void;
  reject: (error: Error) => void;
}
