/**
 * Files that people sent: records in the database, bytes in the folder `media` beside it, one file each. Not over records: a row has a
 * `state` for the file's progress, a document shows it by its members.
 */
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreUnavailable } from '../../../kernel/faults.ts';
import { makeFolder } from '../../../kernel/make-folder.ts';
import type { MediaSink, MediaStore } from '../../media-store.ts';
import { sweep } from '../../sweep.ts';
import type { SweptSlice } from '../../sweep.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { mediaFiles } from '../tables.ts';
import { freeBytesOf } from '../volume.ts';
import type { StoredMediaFile } from '../../entities/media-files.ts';
import type { Row } from '../columns.ts';

/** Only this service may read what people send each other. */
const folderMode = 0o700;
const fileMode = 0o600;
const erasedPerSlice = 100;
/**
 * Bytes between two syncs of a file; the caller's blocks are larger, so each is synced. Syncing a whole file at once would delay
 * everybody's commits.
 */
const bytesPerSync = 250_000;

export function mediaStore(reader: Reader, writer: WriterThread, folder: string): MediaStore {
  const one = reader.query<Row<StoredMediaFile>>(
    `select ${mediaFiles.list} from media_files where id = ? and account_id = ? and state <> 'writing'`,
  );
  const expired = reader.query<{ id: string }>(
    `select id from media_files where state = ? and expires_at <= ? limit ${erasedPerSlice}`,
  );
  const bytesOf = reader.query<{ channel: number | null; account: number | null }>(
    `select sum(iif(channel_id = ?1, file_size, 0)) channel, sum(file_size) account
     from media_files where state = 'kept' and account_id = ?2`,
  );
  const filePath = (mediaId: string): string => join(folder, mediaId);

  async function eraseSlice(state: 'writing' | 'kept', now: number): Promise<SweptSlice> {
    const ids = expired.all(state, now).map(({ id }) => id);
    for (const id of ids) await rm(filePath(id), { force: true });
    if (ids.length > 0) await writer.call('mediaErased', ids);
    return { dropped: ids.length, isLast: ids.length < erasedPerSlice };
  }

  return {
    async create(draft) {
      await makeFolder(folder, folderMode);
      await writer.call('addMedia', draft);
      const path = filePath(draft.id);
      return sinkTo(writer, await open(path, 'wx', fileMode), path, draft.id);
    },
    async find(mediaId, accountId) {
      const row = one.get(mediaId, accountId);
      if (row === undefined) return null;
      const { state: _, ...file } = mediaFiles.of(row);
      return file;
    },
    read: ({ id, fileSize }) => wholeFile(filePath(id), fileSize),
    async bytesOf(channelId, accountId) {
      const { channel, account } = bytesOf.get(channelId, accountId) ?? {};
      return { channel: channel ?? 0, account: account ?? 0 };
    },
    // The folder is made with the first file; the volume is that of the data directory.
    freeBytes: () => freeBytesOf(dirname(folder)),
    async dropExpired(now, forgetBefore, stopping) {
      const unfinished = await sweep(() => eraseSlice('writing', now), stopping);
      const finished = await sweep(() => eraseSlice('kept', now), stopping);
      await sweep(() => writer.call('forgetMediaSlice', forgetBefore), stopping);
      return unfinished + finished;
    },
  };
}

function sinkTo(writer: WriterThread, handle: FileHandle, path: string, mediaId: string): MediaSink {
  let unsynced = 0;
  return {
    async write(bytes) {
      await handle.appendFile(bytes);
      unsynced += bytes.length;
      if (unsynced < bytesPerSync) return;
      unsynced = 0;
      await handle.datasync();
    },
    async finish(facts) {
      await handle.sync();
      await handle.close();
      if (!(await writer.call('finishMedia', mediaId, facts)))
        throw new StoreUnavailable(`media ${mediaId} was erased while it was written`, 'no');
    },
    async abort() {
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** Throws StoreUnavailable if the file is shorter than its record says: an error is better than half a picture. */
async function* wholeFile(path: string, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const piece of createReadStream(path)) {
    const bytes: Uint8Array = piece;
    left -= bytes.length;
    yield bytes;
  }
  if (left !== 0) throw new StoreUnavailable('a file is not as long as it was', 'no');
}
