import type { AppNote } from '../../../use-cases/ports/app-notes.ts';
import { entity } from './entity.ts';
import { integer, jsonOrNull, text } from './fields.ts';

export const appNotes = entity<AppNote>('app_notes', {
  fields: { id: text(), at: integer(), said: jsonOrNull<unknown>({ isForeign: true }) },
  indexes: {},
});
