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

export interface Waiting {
  work: Required<Work>;
  bytes: number;
  /** Monotonic ms. */
  deadline: number;
  result: WorkResult;
  failure: Error | null;
  resolve: (result: WorkResult) => void;
  reject: (error: Error) => void;
}
