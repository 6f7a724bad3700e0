/**
 * Loaded into the service by `--import`: how much CPU each turn of its event loop takes, on a busy machine too, where a turn that
 * waits for the CPU looks long. SIGUSR2 writes the longest since the last time to TURNS_FILE.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { setting } from './serve.ts';

if (isMainThread) watchTurns(setting('TURNS_FILE'));

function watchTurns(file: string): void {
  let last = spentMs();
  let longest = 0;
  const turn = (): void => {
    const now = spentMs();
    longest = Math.max(longest, now - last);
    last = now;
    setImmediate(turn).unref(); // the loop rests where there is nothing to do
  };
  turn();
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(Math.max(longest, 0.001)));
    longest = 0;
  });
}

/** On the CPU, of the main thread. */
function spentMs(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}
