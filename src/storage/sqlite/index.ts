/** The embedded store: SQLite in the data directory, for one process, from npm packages alone. */
import { join } from 'node:path';
import type { ChannelJournal } from '../journal/channel-journal.ts';
import { systemClock } from '../../kernel/clock.ts';
import { StoreUnavailable, asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { Engine } from '../engine.ts';
import { WriterThread } from './writer-thread.ts';
import type { LineStats, StartWriter } from './writer-thread.ts';
import { damageAdvice, isDamage } from './damage.ts';
import { lockDirectory, restrictPermissions } from './directory.ts';
import { makeReader } from './reader.ts';
import type { Reader } from './reader.ts';
import { makeInsertTogether, recordsOn } from './records.ts';
import { channelStateStore } from './stores/channel-state.ts';
import { channelHoldings } from './stores/channels.ts';
import { dueWorkStore } from './stores/due-work.ts';
import { keptDeliveryStore } from './stores/kept-deliveries.ts';
import { wholeMails } from './stores/mails.ts';
import { sendStore } from './stores/sends.ts';
import { mediaStore } from './stores/media.ts';
import { StoreProgress, readProgress } from './store-progress.ts';
import { isCopied, readMark, refuseLostStore, refuseOlderStore } from './store-mark.ts';
import type { StoreMark } from './store-mark.ts';
import { freeBytesOf, isFull, makeRoom } from './volume.ts';

export { keepReserve } from './volume.ts';
export type { StartWriter } from './writer-thread.ts';

export interface EmbeddedStore {
  engine: Engine;
  channelState: ChannelJournal;
  ownership: {
    /** Only ever grows, also over restarts. */
    mintEpoch(channelId: string): Promise<number>;
  };
  /** False since a write failed for want of space, or of a disk, until one succeeds; for good since the file was found damaged. */
  isReachable(): boolean;
  /** Completes accepted writes, then closes the file and unlocks the directory. Later calls throw StoreUnavailable. */
  close(): Promise<void>;
  stats(): LineStats;
}

interface Options {
  dataDir: string;
  log: Log;
  writer: StartWriter;
  /** How long files are kept, for a start on a full volume. */
  mediaTtlMs?: number;
  /** Whether a database that is empty, or older than its mark, is taken. */
  acceptsOlder?: boolean;
}

/** A locked data directory whose writing thread is starting. */
export interface TakenDirectory {
  /** Opens or creates `dataDir`/trunkline.db. Call once. Throws one clear line if the file cannot be opened or a newer version wrote it. */
  open(): Promise<EmbeddedStore>;
  /**
   * Ends the writing thread, once it has opened the file, whatever became of `open`. Call before the process exits: Node waits for a thread
   * that is within SQLite, and then the driver aborts the process. [faults: 534]
   */
  leave(): Promise<void>;
}

/**
 * Locks the directory and lets the writing thread open the file, while the caller goes on. Throws one clear line if another
 * process holds the directory or it is not writable. [operator-interface §2, DATA_DIR]
 */
export async function takeDirectory(options: Options): Promise<TakenDirectory> {
  const { dataDir, log, writer: start, acceptsOlder = false } = options;
  const read = await readMark(dataDir);
  const mark = acceptsOlder ? null : read;
  const refuse = (error: unknown): never => refuseDirectory(dataDir, asError(error));
  if (!acceptsOlder) await refuseLostStore(dataDir, mark).catch(refuse);
  await restrictPermissions(dataDir).catch(refuse);
  const lock = await lockDirectory(dataDir);
  await freeFullVolume(options);
  const isCopy = await isCopied(dataDir, read);
  if (isCopy) log.warn({}, 'store.checking_copy');
  const writer = new WriterThread({ path: join(dataDir, 'trunkline.db'), isCopy }, log, { writer: start });
  const started = writer.start();
  started.catch(() => undefined); // `open` reports it
  return {
    async open() {
      try {
        await started.catch((error: unknown) => refuseStore(dataDir, asError(error), isCopy));
        return await openLocked(options, writer, { lock, mark });
      } catch (error) {
        lock.release();
        throw (await isFull(dataDir).catch(() => false)) ? fullVolume(dataDir) : error;
      }
    },
    async leave() {
      await started.catch(() => undefined);
      await writer.drain();
      await writer.end();
    },
  };
}

/** What has expired goes before the store opens: nothing else would erase it on a full volume. */
async function freeFullVolume({ dataDir, log, mediaTtlMs = Infinity }: Options): Promise<void> {
  if (!(await isFull(dataDir))) return;
  const files = await makeRoom(dataDir, mediaTtlMs, systemClock.now());
  log.error({ files, free_bytes: await freeBytesOf(dataDir) }, 'store.volume_full');
}

/** Throws one clear line for an error of the system: a folder or file that belongs to another user, a volume that is read-only. */
function refuseDirectory(dataDir: string, error: Error): never {
  if (error instanceof StoreUnavailable) throw error;
  throw new StoreUnavailable(`DATA_DIR ${dataDir} cannot be used (${error.message})`, 'no');
}

/** Throws the reason why the file cannot be opened: in one clear line, if it is the file's and not ours. */
function refuseStore(dataDir: string, error: Error, isCopy: boolean): never {
  const { message } = error;
  const how = isCopy ? ', as when the files of a running service were copied,' : '';
  if (isDamage(message))
    throw new StoreUnavailable(
      `DATA_DIR ${dataDir}: trunkline.db is damaged (${message})${how} and was left as it is: ${damageAdvice}`,
      'no',
    );
  // Another user's trunkline.db-wal or trunkline.db-shm: of a process that ran as root, or of a shell of SQLite.
  if (/unable to open|readonly database|disk I\/O error/.test(message))
    refuseDirectory(dataDir, new Error(`trunkline.db, trunkline.db-wal or trunkline.db-shm: ${message}`));
  if (/newer version/.test(message)) throw new StoreUnavailable(`DATA_DIR ${dataDir}: ${message}`, 'no');
  throw error;
}

function fullVolume(dataDir: string): StoreUnavailable {
  return new StoreUnavailable(
    `the volume of DATA_DIR ${dataDir} is full: free some space (logs, backups, other programs' files), then start again; the store is whole`,
    'no',
  );
}

async function openLocked(
  { dataDir, log }: Options,
  writer: WriterThread,
  { lock, mark }: { lock: { release(): void }; mark: StoreMark | null },
): Promise<EmbeddedStore> {
  const reader = await makeReader(join(dataDir, 'trunkline.db'), (why) => writer.foundDamage(why));
  const progress = new StoreProgress(dataDir, writer, log);
  try {
    refuseOlderStore(dataDir, mark, readProgress(reader));
  } catch (error) {
    reader.close();
    await writer.drain();
    await writer.end();
    throw error;
  }
  // One process owns every channel, so one epoch is enough. It grows with each start, so that whatever an earlier process had in flight is
  // older than this process's writes. [architecture §4]
  const epoch = await progress.begin();
  return {
    engine: engineOn(reader, writer, join(dataDir, 'media')),
    channelState: channelStateStore(reader, writer),
    ownership: { mintEpoch: async () => epoch },
    isReachable: () => writer.canWrite,
    async close() {
      progress.stop();
      await writer.drain();
      reader.close();
      await writer.end();
      lock.release();
    },
    stats: () => writer.stats(),
  };
}

/** `mediaFolder`: the folder with the bytes of files. */
export function engineOn(reader: Reader, writer: WriterThread, mediaFolder: string): Engine {
  const recordsOf = recordsOn(reader, writer);
  return {
    recordsOf,
    insertTogether: makeInsertTogether(writer),
    channels: channelHoldings(reader, writer),
    mails: wholeMails(reader, writer),
    dueWork: dueWorkStore(reader, writer),
    keptDeliveries: keptDeliveryStore(recordsOf, reader, writer),
    media: mediaStore(reader, writer, mediaFolder),
    sends: sendStore(reader, writer),
  };
}
