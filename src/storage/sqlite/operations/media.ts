/** Writes to the records of files; the bytes are in the folder beside the database. */
import type { MediaDraft, MediaFacts } from '../../media-store.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { SweptSlice } from '../../sweep.ts';
import { inSteps, stepRows } from './in-steps.ts';
import type { SliceClock } from './in-steps.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { mediaFiles } from '../tables.ts';

export function mediaOperations(db: Database, clock: SliceClock = systemClock) {
  const add = mediaFiles.insert(db);
  const finish = db.prepare(`
    update media_files set state = 'kept', mime_type = ?, file_size = ?, filename = ?, expires_at = ?
    where id = ? and state = 'writing'`);
  const erased = db.prepare("update media_files set state = 'erased', filename = null where id = ?");
  const forget = db.prepare(`
    delete from media_files where id in (
      select id from media_files where state = 'erased' and expires_at <= ? limit ${stepRows})`);

  return {
    addMedia(draft: MediaDraft): void {
      add({ ...draft, mimeType: '', fileSize: 0, filename: null, state: 'writing' });
    },
    /** False if the clean-up erased the slow draft first. */
    finishMedia: (mediaId: string, { mimeType, fileSize, filename, expiresAt }: MediaFacts): boolean =>
      changed(finish.run(mimeType, fileSize, filename, expiresAt, mediaId)) === 1,
    mediaErased(mediaIds: readonly string[]): void {
      for (const id of mediaIds) erased.run(id);
    },
    forgetMediaSlice: (before: number): SweptSlice =>
      inSteps(clock, () => {
        const dropped = changed(forget.run(before));
        return { dropped, isLast: dropped < stepRows };
      }),
  };
}
