/** A checkpointing thread that copies nothing: it adds a line to a file for each pass. */
import { appendFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

parentPort.on('message', ({ type }) => {
  if (type === 'close') process.exit();
  appendFileSync(`${workerData.path}.passes`, 'pass\n');
  parentPort.postMessage({ type: 'copied' });
});
