/**
 * The checkpointing thread: copies the pages of the WAL into the file and syncs the file, while the writing thread goes on. It changes no
 * row. [faults: I9]
 */
import { fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { portOfThread } from '../../../kernel/worker-thread.ts';
import type { CheckpointerAnswer, ToCheckpointer, WriterSettings } from './protocol.ts';
import { openCheckpointer } from './sqlite.ts';

const port = portOfThread();
const settings: WriterSettings = workerData;

const db = await openCheckpointer(settings.path);
const copy = db.prepare('pragma wal_checkpoint(passive)');
// SQLite syncs the file only after a pass that finds no younger page, which under load is none.
// Never closed: a process that closes any descriptor of a file loses the locks that all its connections hold on it.
const file = openSync(settings.path, 'r+');

const answer = (message: CheckpointerAnswer): void => port.postMessage(message);

function carryOut(): void {
  try {
    copy.get();
    fdatasyncSync(file);
  } catch {
    // The disk is full or failing: the writing thread tries too, and its next write reports it.
  }
}

port.on('message', (message: ToCheckpointer) => {
  if (message.type === 'copy') {
    carryOut();
    return answer({ type: 'copied' });
  }
  db.close();
  port.close(); // without listeners the thread ends
});
port.postMessage({ type: 'ready' });
