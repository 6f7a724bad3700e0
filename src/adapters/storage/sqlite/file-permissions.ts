/** File modes: the store holds messages and sealed tokens, so no other user of the machine may read it. [faults §5, API8] */
import { chmod, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toErrorCode } from '../../../kernel/faults.ts';
import { makeFolder } from '../../../kernel/make-folder.ts';

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
