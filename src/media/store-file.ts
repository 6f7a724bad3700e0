/** Streams a download into the store: checked on the way, never whole in memory. [spec: Media download] */
import { createHash } from 'node:crypto';
import { parse } from 'content-disposition';
import type { FileRequest } from '../rules/outside.ts';
import type { FetchedMedia } from '../rules/events/content-blocks.ts';
import type { Clock } from '../kernel/clock.ts';
import { freeMemory } from '../kernel/free-memory.ts';
import { newId } from '../kernel/ids.ts';
import type { MediaSink, MediaStore } from '../storage/media-store.ts';
import { Beginning } from './description.ts';
import type { DescribingThread } from './describing-thread.ts';
import type { Download } from './download.ts';
import { Failure } from './failure.ts';
import { BlockBuffer } from './blocks.ts';
import type { FileRoom, RoomOfFile } from './room.ts';
import type { FileLocation } from '../rules/messages/file-location.ts';

export interface StoringOptions {
  store: MediaStore;
  describer: DescribingThread;
  clock: Clock;
  /** Public URL of the service. */
  baseUrl: string;
  maxBytes: number;
  room: FileRoom;
  ttlMs: number;
  /** Longest duration of an attempt: a draft is not cleaned up before. */
  attemptMs: number;
}

type Location = Extract<FileLocation, { found: true }>;

/** Throws Failure, or the error of the socket; then nothing is stored. */
export async function storeFile(
  options: StoringOptions,
  { channel, type, file }: FileRequest,
  location: Location,
  download: Download,
): Promise<FetchedMedia> {
  const { store, describer, clock, ttlMs, attemptMs, baseUrl, maxBytes, room } = options;
  if ((download.length ?? 0) > maxBytes) throw new Failure('too-large');
  const place = { channelId: channel.id, accountId: channel.accountId };
  const taken = await room.enter(place, download.length ?? 0);
  const id = newId();
  const createdAt = clock.now();
  const draft = { id, ...place, createdAt, expiresAt: createdAt + ttlMs + 2 * attemptMs };
  let sink: MediaSink | null = null;
  try {
    sink = await stored(store.create(draft));
    const beginning = new Beginning(type);
    const { size, digest } = await pour(download, sink, beginning, { maxBytes, taken });
    check(size, digest, file.sha256 ?? location.sha256, location.fileSize);
    const said = [download.contentType, location.mimeType, file.mimeType];
    const { mimeType, durationMs } = await describer.describe({
      type,
      beginning: beginning.bytes,
      size,
      said,
    });
    const filename =
      type === 'document' ? (file.filename ?? readFilename(download.disposition, download.url)) : null;
    const expiresAt = clock.now() + ttlMs;
    await stored(sink.finish({ mimeType, fileSize: size, filename, expiresAt }));
    return {
      result: 'fetched',
      mediaId: id,
      mimeType,
      fileSize: size,
      filename,
      sha256: digest.toString('base64'),
      durationMs,
      downloadUrl: `${baseUrl}/api/v1/media/${id}`,
      expiresAt,
    };
  } catch (error) {
    await sink?.abort();
    throw error;
  } finally {
    await taken.leave();
  }
}

async function pour(
  { body, length }: Download,
  sink: MediaSink,
  beginning: Beginning,
  { maxBytes, taken }: { maxBytes: number; taken: RoomOfFile },
): Promise<{ size: number; digest: Buffer }> {
  const hash = createHash('sha256');
  const gathered = new BlockBuffer(length, async (block) => {
    hash.update(block);
    await stored(sink.write(block));
  });
  let size = 0;
  try {
    // The next chunk is read when the store has taken this one, so that a slow disk slows the socket down.
    for await (const read of body) {
      const piece: Uint8Array = read;
      size += piece.length;
      if (size > maxBytes) throw new Failure('too-large');
      await taken.grow(length ?? 0, size);
      beginning.add(piece);
      await gathered.add(piece);
      freeMemory(piece);
    }
    await gathered.flush();
  } finally {
    gathered.free();
  }
  return { size, digest: hash.digest() };
}

/**
 * A hash is sufficient; without one the size is compared. Upstream writes hashes in base64 in events and in hex in nodes. [upstream §4.2,
 * §5.1]
 */
function check(size: number, digest: Buffer, sha256: string | null, stated: number | null): void {
  if (size === 0) throw new Failure('empty');
  if (sha256 === null) {
    if (stated !== null && stated !== size) throw new Failure('wrong-size');
    return;
  }
  const isHex = /^[0-9a-f]{64}$/i.test(sha256);
  if (!digest.equals(Buffer.from(sha256, isHex ? 'hex' : 'base64'))) throw new Failure('wrong-hash');
}

/** A failing store, such as a full disk, fails this file alone. */
async function stored<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Failure('storage', { cause: error });
  }
}

const longest = 255;

function readFilename(disposition: string | null, url: URL): string | null {
  const named = namedBy(disposition) ?? readLastSegment(url);
  return named === null || named === '' ? null : named.slice(0, longest);
}

function namedBy(disposition: string | null): string | null {
  return disposition === null ? null : (parse(disposition).parameters['filename'] ?? null);
}

/** Returns only what looks like a file name: `plan.pdf`, not an id. */
function readLastSegment({ pathname }: URL): string | null {
  const last = decoded(pathname.slice(pathname.lastIndexOf('/') + 1));
  return last !== null && /[^.]\.[A-Za-z0-9]{1,10}$/.test(last) ? last : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // invalid UTF-8
  }
}
