/**
 * A folder in memory for the files of a store or a database server that tests start: a flush takes microseconds there, and milliseconds
 * on the disk that all workers share. Tests kill processes, which loses nothing of either; they never power the machine off.
 */
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** The servers of five workers use far less; the 64 MB of a container's default `/dev/shm` are too few. */
const neededBytes = 4 * 2 ** 30;

/** Makes a fresh folder: in `/dev/shm` if there is room, else among the temporary files. The caller removes it. */
export function folderInMemory(name: string): string {
  if (!hasRoom()) return mkdtempSync(join(tmpdir(), `trunkline-${name}-`));
  removeOrphaned(name);
  return mkdtempSync(join(memory, `trunkline-${name}-${process.pid}-`));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) >= neededBytes;
  } catch {
    return false;
  }
}

/** Removes the folders of workers that were killed: memory is scarcer than a disk. */
function removeOrphaned(name: string): void {
  const ofWorker = new RegExp(`^trunkline-${name}-(\\d+)-`);
  for (const folder of readdirSync(memory)) {
    const [, pid] = ofWorker.exec(folder) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(memory, folder), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not `instanceof Error`: errors of Node's core come from another realm than jest's.
    return !(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH');
  }
}
