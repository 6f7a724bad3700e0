import { shortHash } from '../../kernel/ids.ts';

const secondMs = 1_000;

/** [upstream §3.7] 4^X seconds is upstream's own advice for a pair; 2^X for all else, within a minute. */
const ladders = {
  none: { base: 2, maxMs: 60 * secondMs },
  channel: { base: 2, maxMs: 60 * secondMs },
  pair: { base: 4, maxMs: 256 * secondMs },
} as const;

/** Powers beyond this are above every cap, and far below what a number can't hold. */
const maxSteps = 16;

/**
 * Ms to wait after a definite transient refusal: 1 s after the first call, then growing by the pause's base.
 * `tries`: upstream calls made so far, this one included.
 */
export function deferDelayMs(tries: number, pause: 'none' | 'pair' | 'channel'): number {
  const { base, maxMs } = ladders[pause];
  const steps = Math.min(Math.max(0, tries - 1), maxSteps);
  return Math.min(base ** steps * secondMs, maxMs);
}

/** Of a second: many channels that upstream has paused at once come back one after the other. */
const maxJitterMs = 250;

/** Spreads sends that wait for the same pause. Derived from the message id, because a turn of the actor must be deterministic. */
export function jitterMs(messageId: string, pause: 'none' | 'pair' | 'channel'): number {
  if (pause === 'none') return 0;
  return shortHash(messageId) % maxJitterMs;
}
