/**
 * The file `store-mark` beside the database says how far the database had come. Without it a volume that was not mounted, or a copy that was
 * put back, would start silently, and acknowledge what upstream posts to channels that the copy does not know. [faults: 295] It also says
 * which file that was, because the files of a running service that were copied one after the other may not fit together. [faults: 533]
 */
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailable, toErrorCode } from '../../kernel/faults.ts';

/** Both only ever grow, in the database first. */
export interface StoreMark {
  starts: number;
  /** Counted while a process runs, so that a copy from within one run is older too. */
  beats: number;
}

/** As it was read; `file`: the inode of the database, null in a mark of an older version. */
interface ReadMark extends StoreMark {
  file: string | null;
}

/** null: there is none, or none that can be read. */
export async function readMark(dataDir: string): Promise<ReadMark | null> {
  const text = await readFile(join(dataDir, 'store-mark'), 'utf8').catch(() => '');
  const [, starts, beats, file = null] =
    /^starts (\d{1,15})\nbeats (\d{1,15})\n(?:file (\d{1,20})\n)?$/.exec(text) ?? [];
  return starts === undefined ? null : { starts: Number(starts), beats: Number(beats), file };
}

/** Whether the database is another file than the one that was marked. */
export async function isCopied(dataDir: string, mark: ReadMark | null): Promise<boolean> {
  if (mark === null || mark.file === null) return false;
  return (await fileOf(dataDir).catch(() => mark.file)) !== mark.file;
}

async function fileOf(dataDir: string): Promise<string> {
  return String((await stat(join(dataDir, 'trunkline.db'), { bigint: true })).ino);
}

/** Call after the same figures are durable in the database. */
export async function writeMark(dataDir: string, { starts, beats }: StoreMark): Promise<void> {
  const path = join(dataDir, 'store-mark');
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`starts ${starts}\nbeats ${beats}\nfile ${await fileOf(dataDir)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

const howToGoOn =
  'put the newest one back, or start once with ACCEPT_OLDER_STORE=1 if this is the one that you want: what upstream posted since is lost';

/** Call before the database is made. Throws StoreUnavailable if the directory has lost its database. */
export async function refuseLostStore(dataDir: string, mark: StoreMark | null): Promise<void> {
  if ((await sizeOf(join(dataDir, 'trunkline.db'))) > 0) return;
  const left = mark !== null ? 'store-mark' : 'encryption-key';
  if (mark === null && (await sizeOf(join(dataDir, left))) === 0) return;
  throw new StoreUnavailable(`DATA_DIR ${dataDir} has ${left} but no database: ${howToGoOn}`, 'no');
}

/** Throws StoreUnavailable if the database had come further than it says now. */
export function refuseOlderStore(dataDir: string, mark: StoreMark | null, now: StoreMark): void {
  if (mark === null || (now.starts >= mark.starts && now.beats >= mark.beats)) return;
  throw new StoreUnavailable(
    `the database in DATA_DIR ${dataDir} is older than its mark: ${howToGoOn}`,
    'no',
  );
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    // A path that leads through a file is named when the directory is made.
    if (['ENOENT', 'ENOTDIR'].includes(toErrorCode(error) ?? '')) return 0;
    throw error;
  }
}
