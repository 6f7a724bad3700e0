import type { MediaFile } from '../media-store.ts';
import { entity } from './entity.ts';
import { integer, text, textOrNull } from './fields.ts';

/**
 * `writing` until the last byte, `kept` until it expires, then `erased`: the bytes are gone. In a document the state follows from its
 * members.
 */
export type StoredMediaFile = MediaFile & { state: 'writing' | 'kept' | 'erased' };

export const mediaFiles = entity<StoredMediaFile>('media_files', {
  fields: {
    id: text(),
    accountId: text(),
    channelId: text(),
    mimeType: text(),
    fileSize: integer(),
    filename: textOrNull(),
    createdAt: integer(),
    expiresAt: integer(),
    state: text(),
  },
  indexes: {
    byExpiry: { on: ['state', 'expiresAt'], file: 'media_files_by_expiry' },
    // With all that the sums of bytes read.
    byAccount: { on: ['state', 'accountId', 'channelId', 'fileSize'], file: 'media_files_by_account' },
  },
  inDatabase: {
    expiry: { key: { expiresAt: 1 } },
    by_account: { key: { accountId: 1, channelId: 1, fileSize: 1 } },
  },
});
