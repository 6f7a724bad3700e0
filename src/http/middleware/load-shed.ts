import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';

/**
 * Above this mean delay every answer is late, and a send that is rejected at once is better than one that waits. The mean is over a window,
 * so that a single long pause does not reach the limit.
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

/** A pause as long as this with next to no CPU time: the process was suspended, which says nothing about its load. */
const stoppedMs = 2_000;
const shareOfStopped = 0.1;

/** Mean delay of a window, ms; `cpuMs` is the CPU time that the process used in it. */
export function meanDelayMs(
  { count, meanMs, maxMs }: { count: number; meanMs: number; maxMs: number },
  cpuMs: number,
): number {
  const wasStopped = maxMs >= stoppedMs && cpuMs < maxMs * shareOfStopped;
  const counted = wasStopped ? count - 1 : count;
  if (counted < 1) return 0;
  const sumMs = meanMs * count - (wasStopped ? maxMs : 0);
  // Samples are whole intervals: the resolution of the timer itself is not a delay.
  return Math.max(0, sumMs / counted - resolutionMs);
}

interface DelayGauge {
  /** Mean delay of the last complete window, ms. */
  read(): number;
  stop(): void;
}

/** The measurement stops after this time without a read. */
const restMs = 5_000;

/**
 * The runtime samples the delay 50 times a second while somebody reads it, and a read starts the next window. An idle node does no work for
 * it.
 */
export function makeDelayGauge(clock: Clock): DelayGauge {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let isMeasuring = false;
  let wasRead = false;
  let cancelRest: () => void = () => undefined;
  const rest = (): void => {
    isMeasuring = wasRead;
    wasRead = false;
    if (isMeasuring) cancelRest = clock.after(restMs, rest);
    else histogram.disable();
  };
  const measure = (): void => {
    isMeasuring = true;
    histogram.reset();
    histogram.enable();
    cancelRest = clock.after(restMs, rest);
    delayMs = 0;
    windowStart = clock.monotonic();
    used = process.cpuUsage();
  };
  let windowStart = clock.monotonic();
  let used = process.cpuUsage();
  let delayMs = 0;
  return {
    read() {
      wasRead = true;
      if (!isMeasuring) measure();
      const now = clock.monotonic();
      if (now - windowStart < windowMs) return delayMs;
      const { user, system } = process.cpuUsage(used);
      const { count, mean, max } = histogram;
      delayMs = meanDelayMs({ count, meanMs: mean / 1e6, maxMs: max / 1e6 }, (user + system) / 1e3);
      used = process.cpuUsage();
      histogram.reset();
      windowStart = now;
      return delayMs;
    },
    stop() {
      cancelRest();
      histogram.disable();
    },
  };
}
