/** Locks a data directory for one process. */
import { join } from 'node:path';
import { asError, StoreUnavailable } from '../../../kernel/faults.ts';
import { databaseClass } from './sqlite.ts';
import type { Database } from './sqlite.ts';

/** SQLITE_BUSY; bits above the lowest eight tell more about the reason. */
const busy = 5;

/**
 * Locks the directory until `release`. Throws one clear line if another process holds the lock, or locking fails otherwise. It is an
 * operating-system lock on an empty SQLite file, so it ends with the process, however the process dies, and cannot go stale as a pid file
 * can.
 */
export async function lockDirectory(dataDir: string): Promise<{ release(): void }> {
  const Database = await databaseClass();
  let db: Database | null = null;
  try {
    db = new Database(join(dataDir, 'store.lock'));
    db.exec('pragma busy_timeout = 0; begin exclusive;');
  } catch (thrown) {
    db?.close();
    const why = isBusy(thrown)
      ? 'is in use by another Trunkline process'
      : `cannot be locked: store.lock: ${asError(thrown).message}`;
    throw new StoreUnavailable(`DATA_DIR ${dataDir} ${why}`, 'no');
  }
  const taken = db;
  return { release: () => taken.close() };
}

function isBusy(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null || !('errcode' in thrown)) return false;
  return (Number(thrown.errcode) & 0xff) === busy;
}
