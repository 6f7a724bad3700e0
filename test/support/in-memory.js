/**
 * Where the files of a run's tests are: in memory, where a flush takes microseconds and not milliseconds of a disk that all workers
 * share. What tests prove are processes that die, which takes nothing from either; the machine itself never goes down.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'trunkline-run-';
/** A whole run on five workers stays far below; a container's `/dev/shm` of 64 MB does not do. */
const neededBytes = 4 * 2 ** 30;

/** A folder that goes with this process; where there is no room in memory, the usual one. */
export function placeInMemory() {
  if (!hasRoom()) return tmpdir();
  removeLeft();
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) >= neededBytes && !isWithoutPrograms();
  } catch {
    return false;
  }
}

/** Containers often mount it so; tests build programs and start them. */
function isWithoutPrograms() {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  return mounts.some((line) => line.includes(` ${memory} `) && line.includes('noexec'));
}

/** Of runs that were killed. */
function removeLeft() {
  for (const name of readdirSync(memory)) {
    const [, pid] = /^trunkline-run-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
