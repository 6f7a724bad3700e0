/**
 * A folder in memory for the files of a server that tests start: a flush takes microseconds there, and milliseconds on the disk that
 * all workers share. What tests prove are processes that die, which takes nothing from either; the machine itself never goes down.
 */
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** The servers of five workers stay far below; a container's `/dev/shm` of 64 MB does not do. */
const neededBytes = 4 * 2 ** 30;

/** In memory where there is room, or where temporary files are. Who takes it removes it. */
export function folderInMemory(name: string): string {
  if (!hasRoom()) return mkdtempSync(join(tmpdir(), `trunkline-${name}-`));
  removeLeft(name);
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

/** Of workers that were killed: a disk would keep them too, but has more room. */
function removeLeft(name: string): void {
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
    // An error of Node's own is none of this realm's.
    return !(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH');
  }
}
