/** Log of a message's upstream calls, kept in its record and shown in its timeline. */

/** A call that ended. An accepted first call is not logged, because the record's own times describe it. */
export interface LoggedCall {
  /** Start, ms. */
  at: number;
  /** null: the node died before the end. */
  endedAt: number | null;
  /** `unknown`: may have been sent. `deferred`: certainly not sent, retried. */
  outcome: 'accepted' | 'refused' | 'deferred' | 'unknown';
  /** Our sentence, with upstream's words if there are any, without secrets. null: no error. */
  error: string | null;
  code: number | null;
  /** Upstream's id of the call, for its support. */
  traceId: string | null;
  /** Id of the API request that asked for the send; absent if the calling node did not know it. */
  requestId?: string;
}

/** `n` counts a message's calls from 1. */
export interface EndedCall extends LoggedCall {
  n: number;
}

/** Keys are `n`. */
export type CallLog = Readonly<Record<string, LoggedCall>>;
