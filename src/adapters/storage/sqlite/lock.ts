/** One process owns a data directory. */
import { join } from 'node:path';
import { asError, StoreUnavailable } from '../../../kernel/faults.ts';
import { databaseClass } from './sqlite.ts';
import type { Database } from './sqlite.ts';

/** SQLITE_BUSY; what stands above the lowest eight bits says more of why. */
const busy = 5;

/**
 * Takes the directory until `release`, or throws one clear line when another process has it, or when it can't be taken for
 * another reason. The lock is a lock of the operating system on an empty SQLite file: it ends with the process, however that
 * dies, so none is ever left behind as a pid file would be.
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
