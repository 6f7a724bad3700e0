// Preloaded into a service (`--import`): it starts with its wall clock ahead by the ms in the file WALL_AHEAD_FILE, and SIGUSR2 makes it read
// the file again. With TIME_PASSES=1 its monotonic clock goes with it: time passes, but no timer fires earlier.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const real = Date.now;
const steady = performance.now.bind(performance);
const read = () => Number(readFileSync(process.env.WALL_AHEAD_FILE, 'utf8'));
let ahead = read();
Date.now = () => real() + ahead;
if (process.env.TIME_PASSES === '1') performance.now = () => steady() + ahead;
if (isMainThread)
  process.on('SIGUSR2', () => {
    ahead = read();
  });
