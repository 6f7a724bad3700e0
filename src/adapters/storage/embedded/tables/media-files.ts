import type { MediaFile } from '../../../../use-cases/ports/media.ts';
import { id, integer, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

/** `writing` until the last byte, `kept` until it expires, then `erased`: the bytes are gone. */
export type StoredMediaFile = MediaFile & { state: 'writing' | 'kept' | 'erased' };

export const mediaFiles = new Table<StoredMediaFile>(
  'media_files',
  {
    id: id(),
    accountId: text(),
    channelId: text(),
    mimeType: text(),
    fileSize: integer(),
    filename: textOrNull(),
    createdAt: integer(),
    expiresAt: integer(),
    state: text(),
  },
  { indexes: { media_files_by_expiry: '(state, expires_at)' } },
);
