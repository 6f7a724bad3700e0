/** The embedded store: SQLite in the data directory, for one process, from npm packages alone. */
import { dirname, join } from 'node:path';
import type { ChannelJournal } from '../../../../actors/channel/ports/store.ts';
import { StoreUnavailable, asError } from '../../../kernel/faults.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Stores } from '../../../use-cases/ports/stores.ts';
import { sharedStores } from '../stores/index.ts';
import { mailStore } from '../stores/mails.ts';
import { WriterThread } from './writer-thread.ts';
import type { LineStats } from './writer-thread.ts';
import { lockDirectory, restrictPermissions } from './directory.ts';
import { makeReader } from './reader.ts';
import { makeInsertTogether, recordsOn } from './records.ts';
import type { Reader } from './reader.ts';
import { channelStateStore } from './stores/channel-state.ts';
import { channelStore } from './stores/channels.ts';
import { dueWorkStore } from './stores/due-work.ts';
import { keptDeliveryStore } from './stores/kept-deliveries.ts';
import { wholeMails } from './stores/mails.ts';
import { mediaStore } from './stores/media.ts';

export interface EmbeddedStore {
  stores: Stores;
  channelState: ChannelJournal;
  ownership: {
    /** Only ever grows, also over restarts. */
    mintEpoch(channelId: string): Promise<number>;
  };
  /** Completes accepted writes, then closes the file and unlocks the directory. Later calls throw StoreUnavailable. */
  close(): Promise<void>;
  stats(): LineStats;
}

interface Options {
  dataDir: string;
  log: Log;
}

/** A locked data directory whose writing thread is starting. */
export interface TakenDirectory {
  /** Call once. Throws one clear line if the file cannot be opened or a newer version wrote it. */
  open(): Promise<EmbeddedStore>;
}

/** Opens or creates `dataDir`/trunkline.db. Throws as its two steps do. [operator-interface §2, DATA_DIR] */
export async function openEmbeddedStore(options: Options): Promise<EmbeddedStore> {
  return (await takeDirectory(options)).open();
}

/**
 * The first step: locks the directory and lets the writing thread open the file, while the caller goes on. Throws one clear line if another
 * process holds the directory or it is not writable.
 */
export async function takeDirectory({ dataDir, log }: Options): Promise<TakenDirectory> {
  await restrictPermissions(dataDir).catch((error: unknown) => {
    throw new StoreUnavailable(`DATA_DIR ${dataDir} cannot be used (${asError(error).message})`, 'no');
  });
  const lock = await lockDirectory(dataDir);
  const path = join(dataDir, 'trunkline.db');
  const writer = new WriterThread({ path }, log);
  const started = writer.start();
  started.catch(() => undefined); // `open` reports it
  return {
    async open() {
      try {
        await started;
        return await openLocked(path, writer, lock);
      } catch (error) {
        lock.release();
        throw error;
      }
    },
  };
}

async function openLocked(
  path: string,
  writer: WriterThread,
  lock: { release(): void },
): Promise<EmbeddedStore> {
  const reader = await makeReader(path);
  // One process owns every channel, so one epoch is enough. It grows with each start, so that whatever an earlier process had in flight is
  // older than this process's writes. [architecture §4]
  const epoch = await writer.call('mintEpoch', '*');
  return {
    stores: storesOn(reader, writer, join(dirname(path), 'media')),
    channelState: channelStateStore(reader, writer),
    ownership: { mintEpoch: async () => epoch },
    async close() {
      await writer.drain();
      reader.close();
      await writer.end();
      lock.release();
    },
    stats: () => writer.stats(),
  };
}

/** `mediaFolder`: the folder with the bytes of files. */
export function storesOn(reader: Reader, writer: WriterThread, mediaFolder: string): Stores {
  const recordsOf = recordsOn(reader, writer);
  const engine = { recordsOf, insertTogether: makeInsertTogether(writer) };
  return {
    ...sharedStores(engine),
    channels: channelStore(recordsOf, reader, writer),
    mails: mailStore(recordsOf, wholeMails(reader, writer)),
    dueWork: dueWorkStore(reader, writer),
    keptDeliveries: keptDeliveryStore(recordsOf, reader, writer),
    media: mediaStore(reader, writer, mediaFolder),
    sends: { insertUnlessTaken: (message) => writer.call('settleSend', message) },
  };
}
