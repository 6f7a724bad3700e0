// Preloaded into a service (`--import`): SIGUSR2 sets its wall clock ahead by the ms in the file WALL_AHEAD_FILE.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const real = Date.now;
let ahead = 0;
Date.now = () => real() + ahead;
if (isMainThread)
  process.on('SIGUSR2', () => {
    ahead = Number(readFileSync(process.env.WALL_AHEAD_FILE, 'utf8'));
  });
