/** How one upstream send call ended, in the words the send queue decides on. `traceId`: upstream's name for it. [architecture §5] */
export type UpstreamOutcome =
  | {
      outcome: 'accepted';
      upstreamId: string;
      /** Who upstream says it is for, when it differs from what we sent (chatapp `wa_id`). */
      recipientAlias: string | null;
    }
  /** Never retried. [spec: Send error codes] */
  | { outcome: 'refused'; error: string; errorCode: number | null; traceId?: string }
  /** Definitely not sent; tried again. `pause` says what else must wait. */
  | {
      outcome: 'deferred';
      error: string;
      errorCode: number | null;
      pause: 'none' | 'pair' | 'channel';
      /** How long upstream says that the pause lasts, ms. */
      pauseMs?: number;
      traceId?: string;
    }
  /** May or may not have been sent: time-out, reset, 5xx, unparsable answer. */
  | { outcome: 'unknown'; error: string; errorCode?: number; traceId?: string };
