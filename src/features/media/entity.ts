import { dayMs } from '../../kernel/clock.ts';
import type { MediaType } from '../../rules/messages/message.ts';
import { entity } from '../../storage/entities/entity.ts';
import { id, integer, text, textOrNull } from '../../storage/entities/fields.ts';

/** A file that upstream keeps, to be sent on its channel: we have nothing of its bytes. Times in ms. */
export interface Upload {
  id: string;
  accountId: string;
  channelId: string;
  mediaType: MediaType;
  mimeType: string;
  /** In bytes. */
  fileSize: number;
  filename: string | null;
  /** Upstream's id. */
  uploadedId: string;
  createdAt: number;
  /** Before upstream forgets it. */
  expiresAt: number;
}

export const uploads = entity<Upload>('uploads', {
  fields: {
    id: id(),
    accountId: text(),
    channelId: text(),
    mediaType: text(),
    mimeType: text(),
    fileSize: integer(),
    filename: textOrNull(),
    uploadedId: text(),
    createdAt: integer(),
    expiresAt: integer({ isDate: true }),
  },
  indexes: {
    // Two days late: for a day an expired file is answered with 410, and housekeeping comes first.
    byExpiry: {
      on: ['expiresAt'],
      file: 'uploads_by_expiry',
      database: 'expiry',
      expiresAfterMs: 2 * dayMs,
    },
  },
});
