import { describe, expect, test } from '@jest/globals';
import type { Upload } from '../../../src/features/media/entity.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export const anUpload = (over: Partial<Upload> = {}): Upload => ({
  id: newId(),
  accountId: newId(),
  channelId: newId(),
  mediaType: 'document',
  mimeType: 'application/pdf',
  fileSize: 3,
  filename: 'Rechnung „7“.pdf',
  uploadedId: '14500000000000310',
  createdAt: noon,
  expiresAt: noon + 9,
  ...over,
});

export function describeUploads(name: string, open: Open): void {
  describe(`${name}: uploads`, () => {
    const store = withStore(open);

    test('an upload is found by its channel and account alone', async () => {
      const { uploads } = store.current.stores;
      const named = anUpload();
      const nameless = anUpload({ filename: null });
      await uploads.add(named);
      await uploads.add(nameless);
      expect(await uploads.find(named)).toEqual(named);
      expect(await uploads.find(nameless)).toEqual(nameless);
      expect(await uploads.find({ ...named, channelId: nameless.channelId })).toBeNull();
      expect(await uploads.find({ ...named, accountId: nameless.accountId })).toBeNull();
      expect(await uploads.find({ ...named, id: newId() })).toBeNull();
    });

    test('those that expired before a time are erased, and no others', async () => {
      const { uploads } = store.current.stores;
      const [old, young] = [anUpload({ expiresAt: noon + 1 }), anUpload({ expiresAt: noon + 2 })];
      await uploads.add(old);
      await uploads.add(young);
      expect(await uploads.dropExpired(noon + 2, AbortSignal.abort())).toBe(0);
      expect(await uploads.dropExpired(noon + 2)).toBe(1);
      expect([await uploads.find(old), await uploads.find(young)]).toEqual([null, young]);
    });
  });
}
