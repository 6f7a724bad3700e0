/**
 * Files that people sent: one record each, and their bytes in GridFS. Not over records: a record shows the file's progress by where its
 * bytes are, not by a state.
 */
import { StoreUnavailable } from '../../../kernel/faults.ts';
import type { MediaFile, MediaSink, MediaStore } from '../../media-store.ts';
import type { MediaDocument, MongoContext } from '../collections.ts';
import { describe } from '../errors.ts';
import { sweep } from '../../sweep.ts';
import type { SweptSlice } from '../../sweep.ts';
import { dropSlices } from './drop-slices.ts';

/** Chunks of 255 KiB per reply: the memory of a download. */
const piecesPerRead = 4;
const filesPerSlice = 100;
type Blob = NonNullable<MediaDocument['blob']>;
type Upload = ReturnType<MongoContext['media']['bucket']['openUploadStreamWithId']>;

export function mediaStore(context: MongoContext): MediaStore {
  const { media, retryPolicy } = context;
  const { files, blobs, chunks } = media;

  async function eraseBytes(blob: Blob): Promise<void> {
    await retryPolicy.run('erase a file', async () => {
      await blobs.deleteOne({ _id: blob });
      await chunks.deleteMany({ files_id: blob });
    });
  }

  async function eraseSlice(now: number): Promise<SweptSlice> {
    const expired = await retryPolicy.run('find expired files', () =>
      files
        .find({ blob: { $exists: true }, expiresAt: { $lte: now } })
        .limit(filesPerSlice)
        .toArray(),
    );
    for (const { blob } of expired) if (blob !== undefined) await eraseBytes(blob);
    const ids = expired.map(({ _id }) => _id);
    if (ids.length > 0)
      await retryPolicy.run('note erased files', () =>
        files.updateMany({ _id: { $in: ids } }, { $unset: { blob: true, filename: true } }),
      );
    return { dropped: ids.length, isLast: ids.length < filesPerSlice };
  }

  return {
    async create({ id, ...draft }) {
      const blob = media.newBlob();
      const added = await retryPolicy.run('add a file', () =>
        files.updateOne({ _id: id }, { $setOnInsert: { ...draft, blob } }, { upsert: true }),
      );
      if (added.upsertedCount === 0)
        throw new StoreUnavailable(`media ${id} may be there already`, 'unknown');
      return sinkTo(media.bucket.openUploadStreamWithId(blob, id), id, context, () => eraseBytes(blob));
    },
    async find(mediaId, accountId) {
      const found = await retryPolicy.run('find a file', () =>
        files.findOne({ _id: mediaId, accountId, mimeType: { $exists: true } }),
      );
      if (found === null) return null;
      const { channelId, mimeType = '', fileSize = 0, filename = null, createdAt, expiresAt } = found;
      return { id: mediaId, accountId, channelId, mimeType, fileSize, filename, createdAt, expiresAt };
    },
    read: (file) => splitIntoPieces(context, file),
    bytesOf: (channelId, accountId) => bytesOf(context, channelId, accountId),
    freeBytes: () => freeBytes(context),
    async dropExpired(now, forgetBefore, stopping) {
      const dropped = await sweep(() => eraseSlice(now), stopping);
      const forgotten = { blob: { $exists: false }, expiresAt: { $lte: forgetBefore } };
      await dropSlices(files, forgotten, retryPolicy, stopping);
      return dropped;
    },
  };
}

function bytesOf(
  { media: { files }, retryPolicy }: MongoContext,
  channelId: string,
  accountId: string,
): ReturnType<MediaStore['bytesOf']> {
  return retryPolicy.run('sum the bytes of files', async () => {
    const ofChannel = { $cond: [{ $eq: ['$channelId', channelId] }, '$fileSize', 0] };
    const [sums] = await files
      .aggregate<{ channel: number; account: number }>([
        { $match: { accountId, blob: { $exists: true }, mimeType: { $exists: true } } },
        { $group: { _id: null, account: { $sum: '$fileSize' }, channel: { $sum: ofChannel } } },
      ])
      .toArray();
    return { channel: sums?.channel ?? 0, account: sums?.account ?? 0 };
  });
}

/** A server that does not know its volume says 0. */
async function freeBytes({ db, retryPolicy }: MongoContext): Promise<number | null> {
  const { fsTotalSize, fsUsedSize } = await retryPolicy.run('look at the volume', () => db.stats());
  const isKnown = typeof fsTotalSize === 'number' && typeof fsUsedSize === 'number' && fsTotalSize > 0;
  return isKnown ? fsTotalSize - fsUsedSize : null;
}

async function* splitIntoPieces(
  { media: { files, chunks }, retryPolicy }: MongoContext,
  { id, accountId, fileSize }: MediaFile,
): AsyncIterable<Uint8Array> {
  const found = await retryPolicy.run('find a file', () => files.findOne({ _id: id, accountId }));
  let left = fileSize;
  const blob = found?.blob;
  // The bucket's own stream would fetch 16 MiB at a time.
  if (blob !== undefined)
    for await (const { data } of chunks.find({ files_id: blob }).sort({ n: 1 }).batchSize(piecesPerRead)) {
      left -= data.length();
      yield data.buffer.subarray(0, data.length());
    }
  if (left !== 0) throw new StoreUnavailable('a file is not as long as it was', 'no');
}

function sinkTo(
  upload: Upload,
  mediaId: string,
  { media, retryPolicy }: MongoContext,
  erase: () => Promise<void>,
): MediaSink {
  let failure: Error | null = null;
  upload.on('error', (error) => (failure = error));
  const unavailable = (error: unknown): StoreUnavailable =>
    new StoreUnavailable(`MongoDB did not keep a file: ${describe(error)}`);
  const step = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(unavailable(failure));
      start((error) => (error ? reject(unavailable(error)) : resolve()));
    });
  return {
    write: (bytes) => step((done) => upload.write(bytes, done)),
    async finish(facts) {
      await step((done) => {
        upload.once('error', done);
        upload.end(done);
      });
      const { matchedCount } = await retryPolicy.run('finish a file', () =>
        media.files.updateOne({ _id: mediaId, blob: { $exists: true } }, { $set: facts }),
      );
      if (matchedCount === 0)
        throw new StoreUnavailable(`media ${mediaId} was erased while it was written`, 'no');
    },
    async abort() {
      failure = new Error('taken back');
      upload.destroy();
      await erase().catch(() => undefined);
    },
  };
}
