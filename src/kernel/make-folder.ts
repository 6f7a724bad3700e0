import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toErrorCode } from './faults.ts';

/**
 * Makes a folder, and those above it that are not there, with this mode. Throws what the system says. Not `mkdir` with `recursive`: where
 * a folder is there and takes no other (`/proc/1`, a working directory that was removed), Node tries for ever, on a thread that nothing ends:
 * four such, and no file, name or password of the process gets its turn.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if (toErrorCode(error) !== 'ENOENT' || above === path || (await isFolder(above))) throw error;
    await makeFolder(above, mode);
    await makeFolder(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
