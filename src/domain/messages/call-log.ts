/** The upstream calls of one message as its record keeps them, for who asks what became of it. */

/** How a call ended. A first one that was accepted is not logged: the record's own times say it. */
export interface LoggedCall {
  /** Its start, ms. */
  at: number;
  /** null: nobody lived to see its end. */
  endedAt: number | null;
  /** `unknown`: it may have been sent. `deferred`: certainly not sent, tried again. */
  outcome: 'accepted' | 'refused' | 'deferred' | 'unknown';
  /** Our sentence, with upstream's words where it said any; no secret in it. null: there is nothing to say. */
  error: string | null;
  code: number | null;
  /** Upstream's name for the call, for asking its support. */
  traceId: string | null;
  /** Of the API's call that asked for the send; not there: the node that made this one did not know it. */
  requestId?: string;
}

/** `n` counts a message's calls from 1. */
export interface EndedCall extends LoggedCall {
  n: number;
}

/** By `n`. */
export type CallLog = Readonly<Record<string, LoggedCall>>;
