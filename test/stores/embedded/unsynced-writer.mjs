// Stands in for a writing thread whose checkpoint could not be synced: says so before it answers a batch.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (message) => {
  if (message.type === 'close') process.exit();
  parentPort.postMessage({ type: 'checkpoint-trouble', what: 'sync-failed', why: 'EIO' });
  parentPort.postMessage({ type: 'answers', answers: message.calls.map(() => ({ ok: true, value: true })) });
});
parentPort.postMessage({ type: 'ready' });
