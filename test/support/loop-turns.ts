import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** How often this process's event loop turns in half a second in which a test does nothing: what ticks. */
export async function turnsAtRest(): Promise<number> {
  const before = performance.nodeTiming.uvMetricsInfo.loopCount;
  await wait(500);
  return performance.nodeTiming.uvMetricsInfo.loopCount - before;
}
