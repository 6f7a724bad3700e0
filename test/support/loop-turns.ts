import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const windows = 3;

/**
 * How often this process's event loop turns in half a second in which nothing is done: what ticks. The least of three: what ticks does so
 * in each, what happens once does not.
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

/**
 * What the program at this path prints: its turns, as JSON. In a process of its own: in one that runs tests, a service of an earlier
 * file has left what ticks for ever, the runtime's own measure of its delay.
 */
export async function turnsInProcessOf(path: string): Promise<number[]> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', path], { env });
  return JSON.parse(stdout);
}
