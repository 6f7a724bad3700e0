import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';

/**
 * Above this mean delay answers are late for everybody, and a send that is refused at once is worth more than one that waits.
 * A single long pause does not reach it: the mean is over a window.
 */
const tooLateMs = 400;
const windowMs = 500;
const resolutionMs = 20;

/** Throws Fault 503 while the event loop is too far behind. [spec: HTTP status codes, 503] */
export function makeLoadShed(delayMs: () => number): () => void {
  return () => {
    if (delayMs() > tooLateMs) throw fault('overloaded', { retryAfter: 1 });
  };
}

export interface DelayGauge {
  /** Mean delay of the last complete window, ms. */
  read(): number;
  stop(): void;
}

/** Measured by the runtime itself; windows turn when somebody reads, so an idle node does no work for it. */
export function makeDelayGauge(clock: Clock): DelayGauge {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let windowStart = clock.monotonic();
  let delayMs = 0;
  return {
    read() {
      const now = clock.monotonic();
      if (now - windowStart < windowMs) return delayMs;
      // Samples are whole intervals: the timer's own resolution is no delay.
      delayMs = histogram.count === 0 ? 0 : Math.max(0, histogram.mean / 1e6 - resolutionMs);
      histogram.reset();
      windowStart = now;
      return delayMs;
    },
    stop: () => void histogram.disable(),
  };
}
