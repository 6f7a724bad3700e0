import type { RecordsOf } from '../../storage/records.ts';
import { appNotes } from './entity.ts';
import type { AppNote } from './entity.ts';

export function appNoteStore(recordsOf: RecordsOf) {
  const notes = recordsOf(appNotes);
  return {
    /** Those that exist, in no order. */
    of: (ids: readonly string[]): Promise<AppNote[]> => notes.some(ids),
    /** Replaces the note of the same id. */
    put: (note: AppNote): Promise<void> => notes.replace(note),
  };
}
