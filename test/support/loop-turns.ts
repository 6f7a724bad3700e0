import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

const windows = 3;

/**
 * How often this process's event loop turns in half a second in which a test does nothing: what ticks. The least of three: what ticks
 * does so in each, what the runner of the tests says does not.
 */
export async function turnsAtRest(): Promise<number> {
  let least = Infinity;
  for (let window = 0; window < windows; window += 1) {
    const before = performance.nodeTiming.uvMetricsInfo.loopCount;
    await wait(500);
    least = Math.min(least, performance.nodeTiming.uvMetricsInfo.loopCount - before);
  }
  return least;
}
