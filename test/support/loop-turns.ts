import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const windows = 3;

/**
 * How often the event loop of this idle process turns in half a second, which shows timers that poll. The least of three measurements:
 * a poll shows in each of them, a single event does not.
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
 * Runs the program at this path, which prints a list of `turnsAtRest` as JSON. It needs its own process: in a jest worker, a service
 * of an earlier test file has left the runtime's event-loop delay monitor running, which ticks for ever.
 */
export async function turnsInProcessOf(path: string): Promise<number[]> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', path], { env });
  return JSON.parse(stdout);
}

/** Counts turns of the event loop, which a service in this process shares with the test, until the returned function is called. */
export function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}
