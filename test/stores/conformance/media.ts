import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hourMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { MediaFacts, MediaFile, MediaStore } from '../../../src/storage/media-store.ts';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

/** `size` bytes of which no two chunks are equal, in chunks as a socket delivers them. */
function* bytesOf(size: number, piece = 60_000): Generator<Uint8Array> {
  for (let start = 0; start < size; start += piece) {
    const bytes = Buffer.alloc(Math.min(piece, size - start), start % 251);
    if (bytes.length >= 8) bytes.writeDoubleLE(start);
    yield bytes;
  }
}

function digest(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

interface Kept {
  file: MediaFile;
  sha256: string;
}

async function keep(media: MediaStore, size: number, over: Partial<MediaFile> = {}): Promise<Kept> {
  const id = newId();
  const draft = { id, accountId: newId(), channelId: newId(), createdAt: noon, expiresAt: noon + hourMs };
  const facts: MediaFacts = {
    mimeType: 'image/png',
    fileSize: size,
    filename: 'ein "Plan".png\n😀',
    expiresAt: noon + hourMs,
  };
  const file = { ...draft, ...facts, ...over };
  const sink = await media.create(file);
  for (const piece of bytesOf(size)) await sink.write(piece);
  const { mimeType, fileSize, filename, expiresAt } = file;
  await sink.finish({ mimeType, fileSize, filename, expiresAt });
  return { file, sha256: digest(bytesOf(size)) };
}

/** The bytes that are read, and the size of the largest chunk. */
async function readBack(media: MediaStore, file: MediaFile): Promise<{ sha256: string; largest: number }> {
  const hash = createHash('sha256');
  let largest = 0;
  for await (const piece of media.read(file)) {
    largest = Math.max(largest, piece.length);
    hash.update(piece);
  }
  return { sha256: hash.digest('hex'), largest };
}

export function describeMedia(name: string, open: Open): void {
  describe(`${name}: files [spec: Media download]`, () => {
    const store = withStore(open);
    const media = (): MediaStore => store.current.stores.media;

    test.each([1, 1_000, 261_120, 261_121, 3_000_000])(
      'a file of %i bytes is read back unchanged, in chunks',
      async (size) => {
        const { file, sha256 } = await keep(media(), size);
        expect(await media().find(file.id, file.accountId)).toEqual(file);
        const back = await readBack(media(), file);
        expect(back.sha256).toBe(sha256);
        expect(back.largest).toBeLessThanOrEqual(1_048_576);
      },
    );

    test('concurrently written and read files do not mix', async () => {
      const kept = await Promise.all(Array.from({ length: 12 }, (_, n) => keep(media(), 100_000 + n)));
      const back = await Promise.all(kept.map(({ file }) => readBack(media(), file)));
      expect(back.map(({ sha256 }) => sha256)).toEqual(kept.map(({ sha256 }) => sha256));
    });

    test('a file without a name is read back without one', async () => {
      const { file } = await keep(media(), 10, { filename: null });
      expect(await media().find(file.id, file.accountId)).toEqual(file);
    });

    test('a file of another account is like one that does not exist [faults: I6]', async () => {
      const { file } = await keep(media(), 10);
      expect(await media().find(file.id, newId())).toBeNull();
      expect(await media().find(newId(), file.accountId)).toBeNull();
    });

    test('an unfinished file is not found, and an aborted one never is', async () => {
      const draft = { id: newId(), accountId: newId(), channelId: newId(), createdAt: noon, expiresAt: noon };
      const sink = await media().create(draft);
      await sink.write(Buffer.alloc(300_000));
      expect(await media().find(draft.id, draft.accountId)).toBeNull();
      await sink.abort();
      expect(await media().find(draft.id, draft.accountId)).toBeNull();
      const facts = { mimeType: 'a/b', fileSize: 300_000, filename: null, expiresAt: noon };
      await expect(sink.finish(facts)).rejects.toThrow();
    });

    test("an expired file's bytes are erased, its record stays until it is removed", async () => {
      const { file: old } = await keep(media(), 300_000, { expiresAt: noon - hourMs });
      const { file: fresh, sha256 } = await keep(media(), 300_000, { expiresAt: noon + 1 });
      expect(await media().dropExpired(noon, noon - 2 * hourMs, AbortSignal.abort())).toBe(0);
      expect(await media().dropExpired(noon, noon - 2 * hourMs)).toBeGreaterThanOrEqual(1);
      // The name is content too, and goes with the bytes.
      const gone = { ...old, filename: null };
      expect(await media().find(old.id, old.accountId)).toEqual(gone);
      await expect(readBack(media(), old)).rejects.toThrow();
      expect((await readBack(media(), fresh)).sha256).toBe(sha256);

      await media().dropExpired(noon, noon - hourMs, AbortSignal.abort());
      expect(await media().find(old.id, old.accountId)).toEqual(gone);
      await media().dropExpired(noon, noon - hourMs);
      expect(await media().find(old.id, old.accountId)).toBeNull();
      expect(await media().find(fresh.id, fresh.accountId)).toEqual(fresh);
    });

    test('a half-written file of a crashed process is erased when its draft expires', async () => {
      const draft = { id: newId(), accountId: newId(), channelId: newId(), createdAt: 0, expiresAt: 1 };
      const sink = await media().create(draft);
      await sink.write(Buffer.alloc(300_000));
      expect(await media().dropExpired(1, 0)).toBe(1);
      expect(await media().dropExpired(1, 0)).toBe(0);
      const facts = { mimeType: 'a/b', fileSize: 300_000, filename: null, expiresAt: noon };
      await expect(sink.finish(facts)).rejects.toThrow('erased while it was written');
    });

    test('the bytes of a channel and of its account are those of finished files that are not erased', async () => {
      const [accountId, channelId] = [newId(), newId()];
      await keep(media(), 1_000, { accountId, channelId });
      await keep(media(), 200, { accountId });
      await keep(media(), 30, { accountId, channelId, expiresAt: 100 });
      await keep(media(), 4);
      const draft = { id: newId(), accountId, channelId, createdAt: noon, expiresAt: noon };
      const unfinished = await media().create(draft);
      await unfinished.write(Buffer.alloc(5));
      expect(await media().bytesOf(channelId, accountId)).toEqual({ channel: 1_030, account: 1_230 });
      await media().dropExpired(100, 50);
      expect(await media().bytesOf(channelId, accountId)).toEqual({ channel: 1_000, account: 1_200 });
      expect(await media().bytesOf(newId(), newId())).toEqual({ channel: 0, account: 0 });
      expect((await media().freeBytes()) ?? 1).toBeGreaterThan(0);
      await unfinished.abort();
    });

    test('more than one batch is erased in one call', async () => {
      await Promise.all(Array.from({ length: 230 }, () => keep(media(), 1, { expiresAt: 100 })));
      expect(await media().dropExpired(100, 50)).toBe(230);
    });
  });
}
