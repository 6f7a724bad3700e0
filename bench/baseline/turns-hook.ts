/**
 * Loaded into the service with `--import`: measures the CPU time of each event-loop turn. Elapsed time would count the wait for a CPU on a
 * busy machine. On SIGUSR2, writes the longest turn since the previous signal to TURNS_FILE.
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
    setImmediate(turn).unref(); // unref: an idle loop may still block
  };
  turn();
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(Math.max(longest, 0.001)));
    longest = 0;
  });
}

/** CPU time of the main thread, in ms. */
function spentMs(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}
