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
