/**
 * The volume of the data directory. A database that can't write a page can't start either, and nothing would erase what has expired: so a
 * reserve is kept that a start may give up. [faults: 294]
 */
import { open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Enough for the recovery of a WAL and some minutes of writes. */
const reserveBytes = 16 * 1_024 * 1_024;
/** A start needs a few pages of the database and its WAL index. */
const fullBelowBytes = 1_024 * 1_024;
const pieceBytes = 1_024 * 1_024;

export async function freeBytesOf(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}

export async function isFull(dataDir: string): Promise<boolean> {
  return (await freeBytesOf(dataDir)) < fullBelowBytes;
}

/** Gives up the reserve, and erases the files of `media` whose time is over. Returns the number of files. */
export async function makeRoom(dataDir: string, mediaTtlMs: number, now: number): Promise<number> {
  await rm(reservePath(dataDir), { force: true });
  const folder = join(dataDir, 'media');
  const names = await readdir(folder).catch(() => []);
  let erased = 0;
  for (const name of names) {
    const path = join(folder, name);
    // A file expires that long after its last byte was written.
    const writtenAt = (await stat(path).catch(() => null))?.mtimeMs ?? now;
    if (writtenAt + mediaTtlMs > now) continue;
    await rm(path, { force: true });
    erased += 1;
  }
  return erased;
}

/** Makes the reserve if it is not there and there is ample room. */
export async function keepReserve(dataDir: string): Promise<void> {
  const path = reservePath(dataDir);
  const isThere = (await stat(path).catch(() => null))?.size === reserveBytes;
  if (isThere || (await freeBytesOf(dataDir)) < 4 * reserveBytes) return;
  const file = await open(path, 'w', 0o600);
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (let written = 0; written < reserveBytes; written += pieceBytes) await file.write(piece);
  } finally {
    await file.close();
  }
}

function reservePath(dataDir: string): string {
  return join(dataDir, 'store-reserve');
}
