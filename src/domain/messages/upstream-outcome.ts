/** Outcome of one upstream send call, as the send queue needs it. `traceId`: upstream's id of the call. [architecture §5] */
export type UpstreamOutcome =
  | {
      outcome: 'accepted';
      upstreamId: string;
      /** Upstream's id of the recipient if it differs from ours (chatapp `wa_id`). */
      recipientAlias: string | null;
    }
  /** Never retried. [spec: Send error codes] */
  | { outcome: 'refused'; error: string; errorCode: number | null; traceId?: string }
  /** Definitely not sent; retried. `pause`: what else must wait. */
  | {
      outcome: 'deferred';
      error: string;
      errorCode: number | null;
      pause: 'none' | 'pair' | 'channel';
      /** Duration of the pause (ms), if upstream gives one. */
      pauseMs?: number;
      traceId?: string;
    }
  /** May or may not have been sent: time-out, reset, 5xx, unparsable answer. */
  | { outcome: 'unknown'; error: string; errorCode?: number; traceId?: string };
