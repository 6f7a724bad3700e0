/** What an upstream call of a send came to, and how long the next one waits. */
import { shortHash } from '../../kernel/ids.ts';
import type { Pause } from './error-table.ts';
import type { RecipientNames } from './recipient-names.ts';

/** Outcome of one upstream send call, as the send queue needs it. `traceId`: upstream's id of the call. [architecture §5] */
export type UpstreamOutcome =
  | ({ outcome: 'accepted'; upstreamId: string } & RecipientNames)
  /** Never retried. `needsReconnect`: no send succeeds until somebody connects the channel again. [spec: Send error codes] */
  | { outcome: 'refused'; error: string; errorCode: number | null; needsReconnect?: true; traceId?: string }
  /** Definitely not sent; retried. `pause`: what else must wait. */
  | {
      outcome: 'deferred';
      error: string;
      errorCode: number | null;
      pause: Pause;
      /** Duration of the pause (ms), if upstream gives one. */
      pauseMs?: number;
      traceId?: string;
    }
  /** May or may not have been sent: time-out, reset, 5xx, unparsable answer. */
  | { outcome: 'unknown'; error: string; errorCode?: number; traceId?: string };

const secondMs = 1_000;

/** [upstream §3.7] Upstream recommends 4^X seconds for a pair; all else uses 2^X, at most a minute. */
const ladders = {
  none: { base: 2, maxMs: 60 * secondMs },
  channel: { base: 2, maxMs: 60 * secondMs },
  pair: { base: 4, maxMs: 256 * secondMs },
  // Lasts until somebody has mended it: minutes at least, perhaps a night.
  operator: { base: 2, maxMs: 300 * secondMs },
} as const;

/** Higher powers exceed every cap; this one is far below the range of a number. */
const maxSteps = 16;

/**
 * Delay (ms) after a definite transient refusal: 1 s after the first call, then growing by the pause's base.
 * `tries`: upstream calls made so far, this one included. `operator`: until the operator has mended the app.
 */
export function deferDelayMs(tries: number, pause: Pause | 'operator'): number {
  const { base, maxMs } = ladders[pause];
  const steps = Math.min(Math.max(0, tries - 1), maxSteps);
  return Math.min(base ** steps * secondMs, maxMs);
}

/** Less than a second: enough to spread the retries of many channels that upstream has paused at once. */
const maxJitterMs = 250;

/** Spreads sends that wait for the same pause. Derived from the message id, because an actor's turn must be deterministic. */
export function jitterMs(messageId: string, pause: Pause): number {
  if (pause === 'none') return 0;
  return shortHash(messageId) % maxJitterMs;
}
