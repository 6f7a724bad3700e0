import { insertNew } from '../../storage/records.ts';
import type { InChannel, RecordsOf } from '../../storage/records.ts';
import { uploads as uploadsEntity } from './entity.ts';
import type { Upload } from './entity.ts';

export function uploadStore(recordsOf: RecordsOf) {
  const uploads = recordsOf(uploadsEntity);
  return {
    add: (upload: Upload): Promise<void> => insertNew(uploads, upload),
    /** Expired ones included, until they are erased. */
    find: ({ id, channelId, accountId }: InChannel): Promise<Upload | null> =>
      uploads.one({ id, channelId, accountId }),
    dropExpired: (before: number, stopping?: AbortSignal): Promise<number> =>
      uploads.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}
