/** One process owns a data directory. */
import { join } from 'node:path';
import { StoreUnavailable } from '../../../kernel/faults.ts';
import { databaseClass } from './sqlite.ts';

/**
 * Takes the directory until `release`, or throws one clear line when another process has it. The lock is a lock of the
 * operating system on an empty SQLite file: it ends with the process, however that dies, so none is ever left behind as
 * a pid file would be.
 */
export async function lockDirectory(dataDir: string): Promise<{ release(): void }> {
  const Database = await databaseClass();
  const db = new Database(join(dataDir, 'store.lock'));
  try {
    db.exec('pragma busy_timeout = 0; begin exclusive;');
  } catch {
    db.close();
    throw new StoreUnavailable(`DATA_DIR ${dataDir} is in use by another Trunkline process`, 'no');
  }
  return { release: () => db.close() };
}
