// Stands in for a writing thread that dies: answers single calls, ends without a word at a batch of two.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (message) => {
  if (message.type === 'close' || message.calls.length === 2) process.exit();
  parentPort.postMessage({ type: 'answers', answers: message.calls.map(() => ({ ok: true, value: true })) });
});
parentPort.postMessage({ type: 'ready' });
