import { access, chmod, cp, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { asError, toErrorCode } from '../../kernel/faults.ts';
import { makeFolder } from '../../kernel/make-folder.ts';
import { isDamage } from './damage.ts';
import { databaseClass, readPragma } from './sqlite.ts';
import type { Database } from './sqlite.ts';

/** Files without which a restored store cannot be read or administered. */
const keys = ['encryption-key', 'admin-token'];

/**
 * Copies `dataDir` to `folder` as of one moment, while a service may run on it: SQLite reads its own snapshot and writes a new file. Files
 * that people sent are copied afterwards, so that only expired ones can be missing. Throws one clear line if there is no store, if the
 * folder is not empty, or if the copy fails.
 * [operator-interface §2, DATA_DIR]
 */
export async function backUp(dataDir: string, folder: string): Promise<void> {
  const store = join(dataDir, 'trunkline.db');
  await access(store).catch((error: unknown) => {
    throw new Error(`DATA_DIR ${dataDir} has no store (${toErrorCode(error) ?? 'unknown error'})`);
  });
  // An absolute path: SQLite reads a name that begins with `file:` as a URI.
  const to = resolve(folder);
  await makeFolder(to, 0o700);
  if ((await readdir(to)).length > 0)
    throw new Error(`${to} is not empty: a backup takes a folder of its own`);
  await makePrivate(to);
  try {
    await copyStore(store, to);
    for (const name of [...keys, 'media']) await copyIfExists(join(dataDir, name), join(to, name));
    await makePrivateWithin(to);
  } catch (error) {
    // An empty or half-written copy would be put back as a backup: the service would start on an empty store. [faults: 561]
    for (const name of await readdir(to)) await rm(join(to, name), { recursive: true });
    const { message } = asError(error);
    const what = isDamage(message) ? `trunkline.db in DATA_DIR ${dataDir} is damaged` : 'the copy failed';
    throw new Error(`no backup: ${what} (${message})`, { cause: error });
  }
}

async function copyStore(store: string, to: string): Promise<void> {
  const Database = await databaseClass();
  const db = new Database(store, { readOnly: true });
  try {
    letCopyShrink(db);
    db.exec(`pragma busy_timeout = 10000; vacuum into '${join(to, 'trunkline.db').replaceAll("'", "''")}'`);
  } finally {
    db.close();
  }
}

/** A file that an older version made cannot release free pages, but its copy will; the copy of one that can needs nothing. */
function letCopyShrink(db: Database): void {
  if (readPragma(db, 'auto_vacuum') === 0) db.exec('pragma auto_vacuum = incremental');
}

/**
 * Called before the copy, so that nothing can be read while it is written. Throws one clear line if the file system keeps no modes.
 * [faults: 132]
 */
async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  if (((await stat(folder)).mode & 0o077) !== 0)
    throw new Error(
      `${folder} can be read by others: a backup holds keys, and takes a folder of its user alone`,
    );
}

/** A copied file has its original's mode, and SQLite's file the mode that the umask leaves. */
async function makePrivateWithin(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await chmod(path, entry.isDirectory() ? 0o700 : 0o600);
    if (entry.isDirectory()) await makePrivateWithin(path);
  }
}

/** A key that is set in the environment has no file, and a file may expire during the copy. */
async function copyIfExists(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, { recursive: true, preserveTimestamps: true });
  } catch (error) {
    if (Object(error).code !== 'ENOENT') throw error;
  }
}
