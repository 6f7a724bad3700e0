/**
 * The data directory: locked for one process. It holds messages and sealed tokens, so no other user of the machine may read it. [faults §5,
 * API8]
 */
import { join, resolve } from 'node:path';
import { chmod, open } from 'node:fs/promises';
import { asError, StoreUnavailable, toErrorCode } from '../../kernel/faults.ts';
import { makeFolder } from '../../kernel/make-folder.ts';
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

const made = ['store.lock', 'trunkline.db'];
/** SQLite creates these with the mode of the database; an older version may have left them behind. */
const beside = ['trunkline.db-wal', 'trunkline.db-shm'];

/** Creates the folder (0700) and the store's files (0600), or sets these modes on existing ones. */
export async function restrictPermissions(dataDir: string): Promise<void> {
  await makeFolder(resolve(dataDir), 0o700);
  await restrict(dataDir, 0o700);
  for (const name of made) {
    const path = join(dataDir, name);
    await (await open(path, 'a', 0o600)).close();
    await restrict(path, 0o600);
  }
  for (const name of beside) await restrict(join(dataDir, name), 0o600);
}

/** On a volume that belongs to another user the modes are the operator's matter, and the store opens nevertheless. */
async function restrict(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: unknown) => {
    if (!tolerated.has(toErrorCode(error) ?? '')) throw error;
  });
}

const tolerated: ReadonlySet<string> = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'EROFS']);
