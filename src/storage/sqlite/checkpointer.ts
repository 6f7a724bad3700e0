/**
 * The checkpointing thread: copies the pages of the WAL into the file and syncs the file, while the writing thread goes on. It changes no
 * row. [faults: I9]
 */
import { fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { asError } from '../../kernel/faults.ts';
import { portOfThread } from '../../kernel/worker-thread.ts';
import type { CheckpointTrouble, CheckpointerAnswer, ToCheckpointer, WriterSettings } from './protocol.ts';
import { openCheckpointer } from './sqlite.ts';

const port = portOfThread();
const settings: WriterSettings = workerData;

const db = await openCheckpointer(settings.path);
const copy = db.prepare('pragma wal_checkpoint(passive)');
// SQLite syncs the file only after a pass that finds no younger page, which under load is none.
// Never closed: a process that closes any descriptor of a file loses the locks that all its connections hold on it.
const file = openSync(settings.path, 'r+');

const answer = (message: CheckpointerAnswer): void => port.postMessage(message);

function carryOut(): CheckpointerAnswer {
  let what: CheckpointTrouble['what'] = 'copy-failed';
  try {
    copy.get();
    what = 'sync-failed';
    fdatasyncSync(file);
    return { type: 'copied' };
  } catch (error) {
    return { type: 'checkpoint-trouble', what, why: asError(error).message };
  }
}

port.on('message', (message: ToCheckpointer) => {
  if (message.type === 'copy') return answer(carryOut());
  db.close();
  port.close(); // without listeners the thread ends
});
port.postMessage({ type: 'ready' });
