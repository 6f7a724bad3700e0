import { chmod, cp, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../../kernel/make-folder.ts';
import { databaseClass, readPragma } from './sqlite.ts';
import type { Database } from './sqlite.ts';

/** What opens nothing without the store, and without which the store opens nothing. */
const keys = ['encryption-key', 'admin-token'];

/**
 * Copies `dataDir` to `folder` as it is at one moment, while a service runs on it: SQLite reads its own snapshot and writes a
 * new file. Files of people are copied after it, so none that the copy knows is missing but those that have expired meanwhile.
 * Throws one clear line when the folder holds something. [operator-interface §2, DATA_DIR]
 */
export async function backUp(dataDir: string, folder: string): Promise<void> {
  // From the root on: SQLite takes a name that begins with `file:` for an address.
  const to = resolve(folder);
  await makeFolder(to, 0o700);
  if ((await readdir(to)).length > 0)
    throw new Error(`${to} is not empty: a backup takes a folder of its own`);
  await makePrivate(to);
  const Database = await databaseClass();
  const db = new Database(join(dataDir, 'trunkline.db'), { readOnly: true });
  try {
    letCopyShrink(db);
    db.exec(`pragma busy_timeout = 10000; vacuum into '${join(to, 'trunkline.db').replaceAll("'", "''")}'`);
  } finally {
    db.close();
  }
  for (const name of [...keys, 'media']) await copyIfThere(join(dataDir, name), join(to, name));
  await makePrivateWithin(to);
}

/** The copy of a file that an earlier version made can give room back; of one that can, the copy can as well. */
function letCopyShrink(db: Database): void {
  if (readPragma(db, 'auto_vacuum') === 0) db.exec('pragma auto_vacuum = incremental');
}

/** First, so that nothing is readable while it is written. Throws one clear line where the file system keeps no modes. [faults: 132] */
async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  if (((await stat(folder)).mode & 0o077) !== 0)
    throw new Error(
      `${folder} can be read by others: a backup holds keys, and takes a folder of its user alone`,
    );
}

/** A copy has its original's mode, and what SQLite makes the mode that the umask leaves. */
async function makePrivateWithin(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await chmod(path, entry.isDirectory() ? 0o700 : 0o600);
    if (entry.isDirectory()) await makePrivateWithin(path);
  }
}

/** A key that is set by the environment has no file, and a file may expire on the way. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, { recursive: true, preserveTimestamps: true });
  } catch (error) {
    if (Object(error).code !== 'ENOENT') throw error;
  }
}
