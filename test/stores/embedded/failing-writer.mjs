// Stands in for a writing thread whose disk is full: fails every batch.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (message) => {
  if (message.type === 'close') process.exit();
  parentPort.postMessage({ type: 'batch-failed', message: 'database or disk is full', applied: 'no' });
});
parentPort.postMessage({ type: 'ready' });
