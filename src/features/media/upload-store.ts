import type { InChannel, RecordsOf } from '../../storage/records.ts';
import { uploads as uploadsEntity } from './entity.ts';
import type { Upload } from './entity.ts';

export function uploadStore(recordsOf: RecordsOf) {
  const uploads = recordsOf(uploadsEntity);
  return {
    /** The upload of this id, which is the one that came first: its file is upstream too. */
    async add(upload: Upload): Promise<Upload> {
      const { id, channelId, accountId } = upload;
      if (await uploads.insert(upload)) return upload;
      const first = await uploads.one({ id, channelId, accountId });
      if (first === null) throw new Error('the id of an upload is taken elsewhere');
      return first;
    },
    /** Expired ones included, until they are erased. */
    find: ({ id, channelId, accountId }: InChannel): Promise<Upload | null> =>
      uploads.one({ id, channelId, accountId }),
    dropExpired: (before: number, stopping?: AbortSignal): Promise<number> =>
      uploads.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}
