/**
 * How fast calls may follow each other once upstream has said that they were too fast. Nothing is slowed before: the limits that are
 * documented change with the number and the time. [upstream §3.7, §3.8]
 */
import { limits } from '../limits.ts';
import type { RecipientQueue, SendsState } from './state.ts';

/** 80 calls a second, as a number without an upgrade has them. [upstream §3.8] */
const firstGapMs = 12.5;
/** Twice as slow at most until it is one a second. */
const mostGapMs = 1_000;
/** After so long without a refusal it is tried twice as fast. */
const relaxAfterMs = 60_000;
/** What a pair is allowed for good: one message in 6 s. [upstream §3.8] */
const pairGapMs = 6_000;

/** A throughput limit was met. The refusals of calls that were out together count once. */
export function slowDown(sends: SendsState, now: number): void {
  if (sends.pausedUntil > now) return;
  sends.gapMs = Math.min(sends.gapMs === 0 ? firstGapMs : sends.gapMs * 2, mostGapMs);
  sends.relaxAt = now + relaxAfterMs;
}

/** A pair limit was met: for as long as this recipient's queue has something to do. */
export function slowDownPair(queue: RecipientQueue): void {
  queue.gapMs = pairGapMs;
}

/** A call goes out. */
export function keepPace(sends: SendsState, queue: RecipientQueue | undefined, now: number): void {
  if (queue !== undefined && queue.gapMs > 0)
    queue.pausedUntil = Math.max(queue.pausedUntil, now + queue.gapMs);
  if (sends.gapMs === 0) return;
  if (sends.relaxAt <= now) relax(sends, now);
  sends.nextCallAt = Math.max(sends.nextCallAt, now) + sends.gapMs;
}

function relax(sends: SendsState, now: number): void {
  const faster = sends.gapMs / 2;
  sends.gapMs = faster < firstGapMs ? 0 : faster;
  sends.relaxAt = now + relaxAfterMs;
}

/** A new call has to wait for one that is out, or for its turn in the pace. */
export function isFull(sends: SendsState, now: number): boolean {
  return sends.calls >= limits.calls || sends.nextCallAt > now;
}
