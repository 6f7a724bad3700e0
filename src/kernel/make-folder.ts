import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toErrorCode } from './faults.ts';

/**
 * Makes a folder and its missing parents, with this mode. Rejects with the system's error. Not `mkdir` with `recursive`: where a folder
 * exists but can't contain another (`/proc/1`, a working directory that was removed), Node retries for ever, on a thread of its pool; four
 * such calls block all file access, host name look-ups and password hashing of the process.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if (toErrorCode(error) !== 'ENOENT' || above === path) throw error;
    await makeFolder(above, mode);
    await makeBelow(path, mode);
  }
}

/** One more try, not as many as it takes: the parent is there, also if another call has made it meanwhile. */
async function makeBelow(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(async (error: unknown) => {
    if (!(await isFolder(path))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
