/** The store holds messages and sealed tokens: on a machine with other users it is its owner's alone. [faults §5, API8] */
import { chmod, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toErrorCode } from '../../../kernel/faults.ts';
import { makeFolder } from '../../../kernel/make-folder.ts';

const made = ['store.lock', 'trunkline.db'];
/** SQLite makes these with the mode of the database itself; those of an earlier version may be there. */
const beside = ['trunkline.db-wal', 'trunkline.db-shm'];

/** Makes the folder (0700) and the store's files (0600), or gives those that are there these modes. */
export async function ownersAlone(dataDir: string): Promise<void> {
  await makeFolder(resolve(dataDir), 0o700);
  await restrict(dataDir, 0o700);
  for (const name of made) {
    const path = join(dataDir, name);
    await (await open(path, 'a', 0o600)).close();
    await restrict(path, 0o600);
  }
  for (const name of beside) await restrict(join(dataDir, name), 0o600);
}

/** A mounted volume may belong to another user: then its modes are the operator's, and the store opens all the same. */
async function restrict(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: unknown) => {
    if (!tolerated.has(toErrorCode(error) ?? '')) throw error;
  });
}

const tolerated: ReadonlySet<string> = new Set(['ENOENT', 'EPERM', 'ENOTSUP', 'EROFS']);
