/** The writing thread: only it changes the file, so that fsyncs and checkpoints never block the event loop. [faults: I9] */
import { workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { portOfThread } from '../../kernel/worker-thread.ts';
import type { ThreadReady } from '../../kernel/worker-thread.ts';
import { batchRunner } from './batch.ts';
import { Checkpoints } from './checkpoints.ts';
import { operationsOn } from './operations/index.ts';
import type { ToWriter, WriterAnswer, WriterSettings } from './protocol.ts';
import { migrate } from './schema.ts';
import { startVacuum } from './vacuum.ts';
import { refuseDamaged } from './damage.ts';
import { openWriter } from './sqlite.ts';
import { makeTables } from './tables.ts';
import type { Tables } from './tables.ts';
import type { AnyEntity } from '../entities/entity.ts';

/** Runs the writing thread; its module is above this one, because it knows the entities of all features. */
export function runWriter(entities: readonly AnyEntity[]): Promise<void> {
  return serveWriter(makeTables(entities), workerData, portOfThread());
}

/** Opens the file, then writes each batch that comes through the port, until it is told to close. Rejects if the file cannot be opened. */
export async function serveWriter(
  tables: Tables,
  settings: WriterSettings,
  port: MessagePort,
): Promise<void> {
  const send = (message: ThreadReady | WriterAnswer) => port.postMessage(message);
  const db = await openWriter(settings.path);
  if (settings.isCopy) refuseDamaged(db);
  if (migrate(db, tables) === 'new') db.exec('pragma wal_checkpoint(passive)'); // so that a copy of the file alone has its tables
  const stopVacuum = startVacuum(db);
  const run = batchRunner(db, operationsOn(db, tables));
  const checkpoints = new Checkpoints(db, settings, { onTrouble: send });

  port.on('message', (message: ToWriter) => {
    if (message.type === 'batch') {
      send(run(message.calls));
      return checkpoints.afterBatch();
    }
    void close();
  });

  async function close(): Promise<void> {
    stopVacuum();
    await checkpoints.end();
    // The packaged driver keeps a closed connection open until its statements are garbage-collected, so close would not checkpoint.
    db.exec('pragma wal_checkpoint(truncate)');
    db.close();
    port.close(); // without listeners the thread ends
  }

  send({ type: 'ready' });
}
