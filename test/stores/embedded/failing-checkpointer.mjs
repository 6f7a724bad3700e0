/** A checkpointing thread whose first pass fails to copy, and whose second fails to sync. */
import { parentPort } from 'node:worker_threads';

const failures = ['copy-failed', 'sync-failed'];
parentPort.on('message', ({ type }) => {
  if (type === 'close') process.exit();
  parentPort.postMessage({ type: 'checkpoint-trouble', what: failures.shift(), why: 'a reason' });
});
