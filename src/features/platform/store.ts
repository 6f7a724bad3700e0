import type { AppNoteStore } from './port.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { appNotes } from './entity.ts';

export function appNoteStore(recordsOf: RecordsOf): AppNoteStore {
  const notes = recordsOf(appNotes);
  return {
    of: (ids) => notes.some(ids),
    put: (note) => notes.replace(note),
  };
}
